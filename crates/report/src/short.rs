//! Shortens long names and messages in reports.
//!
//! Reports keep many names in memory, and nobody reads a name of a megabyte. A shortened name ends
//! with its original length and a digest, so different names stay different.

use std::borrow::Cow;

use plansift_core::inert::trimmed;

/// Maximum length of a name, in bytes. Longer names are shortened.
const NAME_MAX: usize = 1024;

/// Maximum length of the name of a group (a type, module or provider), in bytes. It is small,
/// because there may be many groups.
pub(super) const GROUP_MAX: usize = 256;

/// Maximum length of a message, in bytes.
const MESSAGE_MAX: usize = 64 << 10;

/// Shortens a name that is longer than [`NAME_MAX`] to its beginning, its length and a digest.
pub(super) fn short(name: &str) -> Cow<'_, str> {
    short_to(name, NAME_MAX)
}

/// Shortens the name of a group that is longer than [`GROUP_MAX`].
pub(super) fn short_group(name: &str) -> Cow<'_, str> {
    short_to(name, GROUP_MAX)
}

fn short_to(name: &str, max: usize) -> Cow<'_, str> {
    if name.len() <= max {
        return Cow::Borrowed(name);
    }
    let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(name.as_bytes()).as_bytes();
    let digest = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
    let shown = &name[..name.floor_char_boundary(max / 2)];
    Cow::Owned(format!("{shown}… ({} bytes, digest {digest:016x})", name.len()))
}

/// Shortens a message that is longer than [`MESSAGE_MAX`].
pub(super) fn short_message(message: &str) -> Cow<'_, str> {
    match message.len() <= MESSAGE_MAX {
        true => Cow::Borrowed(message),
        false => Cow::Owned(messages(&[Cow::Borrowed(message)])),
    }
}

/// Returns the first line of a message.
pub(super) fn first_line(message: &str) -> &str {
    message.trim().split('\n').next().unwrap_or_default().trim_end()
}

/// Returns the messages that are not blank.
pub(super) fn given<'m>(messages: &'m [Cow<'_, str>]) -> impl Iterator<Item = &'m str> + Clone {
    messages.iter().map(|message| trimmed(message)).filter(|message| !message.is_empty())
}

/// Returns the separator of messages that begin a line each. If a message has several lines, an
/// empty line separates it from the next one.
pub(super) fn separator(messages: &[Cow<'_, str>]) -> &'static str {
    match given(messages).any(|message| message.contains('\n')) {
        true => "\n\n",
        false => "\n",
    }
}

/// Joins messages, and shortens the result to [`MESSAGE_MAX`]. It ends with the number of bytes
/// left out. If a message has several lines, an empty line separates the messages.
pub(super) fn messages(messages: &[Cow<'_, str>]) -> String {
    let (mut text, mut left_out) = (String::new(), 0);
    let between = if separator(messages) == "\n" { "; " } else { "\n\n" };
    for (index, message) in given(messages).enumerate() {
        let separator = if index == 0 { "" } else { between };
        let room = MESSAGE_MAX.saturating_sub(text.len() + separator.len());
        let end = message.floor_char_boundary(room);
        if end > 0 {
            text += separator;
            text += &message[..end];
        }
        left_out += message.len() - end;
    }
    if left_out > 0 {
        text += &format!("… and {left_out} more bytes");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_stay_different() {
        let name = |end: &str| "ä".repeat(NAME_MAX) + end;
        let [one, two] = ["1", "2"].map(|end| short(&name(end)).into_owned());
        assert_ne!(one, two);
        assert!(one.len() < NAME_MAX && one.contains("2049 bytes"), "{one}");
        assert_eq!(short("a.b"), "a.b");
    }

    #[test]
    fn a_long_message_says_how_much_is_left_out() {
        let texts = [Cow::Borrowed("one"), Cow::Owned("x".repeat(MESSAGE_MAX))];
        let text = messages(&texts);
        assert!(text.starts_with("one; xx") && text.ends_with("… and 5 more bytes"));
        assert_eq!(messages(&texts[..1]), "one");
    }

    #[test]
    fn a_message_of_several_lines_begins_a_line() {
        let texts = ["one\n", "two"].map(Cow::Borrowed);
        assert_eq!(messages(&texts), "one; two");
        let texts = ["one\n\n 1\n", "two"].map(Cow::Borrowed);
        assert_eq!(messages(&texts), "one\n\n 1\n\ntwo");
        assert_eq!(first_line(&texts[0]), "one");
    }
}
