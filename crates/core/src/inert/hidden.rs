//! The characters that are never printed unescaped.

use std::ops::RangeInclusive;

/// The hidden characters, without the last two code points of each plane. They have the Unicode
/// category `Cc` (control), `Cf` (format), `Zl` or `Zp` (line or paragraph separator), or the
/// property `Default_Ignorable_Code_Point` (DerivedCoreProperties.txt, Unicode 16) or
/// `Noncharacter_Code_Point`. The empty Braille pattern is also hidden, because it looks like a
/// space.
///
/// Hidden characters move the cursor, change the direction or shape of the text around them, or
/// have no width. Names that differ only in hidden characters look the same. Azure Pipelines skips
/// most of them when it looks for `##vso[`. The test compares the table with another
/// implementation.
const HIDDEN: [RangeInclusive<char>; 29] = [
    '\0'..='\u{1f}',
    '\u{7f}'..='\u{9f}',
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{600}'..='\u{605}',
    '\u{61c}'..='\u{61c}',
    '\u{6dd}'..='\u{6dd}',
    '\u{70f}'..='\u{70f}',
    '\u{890}'..='\u{891}',
    '\u{8e2}'..='\u{8e2}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{2800}'..='\u{2800}',
    '\u{3164}'..='\u{3164}',
    '\u{fdd0}'..='\u{fdef}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fffb}',
    '\u{110bd}'..='\u{110bd}',
    '\u{110cd}'..='\u{110cd}',
    '\u{13430}'..='\u{1343f}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
];

/// Whether a character is hidden: it controls a terminal or the layout of text, or cannot be seen.
pub fn is_hidden(character: char) -> bool {
    match character {
        ' '..='~' => false,
        // The last two code points of each plane are noncharacters.
        _ if u32::from(character) & 0xfffe == 0xfffe => true,
        _ => {
            let place = HIDDEN.partition_point(|range| *range.end() < character);
            HIDDEN.get(place).is_some_and(|range| range.contains(&character))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_match_the_unicode_properties() {
        let hidden = [
            r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}",
            r"\p{Noncharacter_Code_Point}\x{2800}]",
        ];
        let hidden = hidden.concat();
        let hidden = regex::Regex::new(&hidden).expect("a pattern");
        let mut bytes = [0; 4];
        for character in '\0'..=char::MAX {
            let expected = hidden.is_match(character.encode_utf8(&mut bytes));
            assert_eq!(is_hidden(character), expected, "{}", character.escape_unicode());
        }
    }
}
