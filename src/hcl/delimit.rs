//! Finds where an expression of the native syntax ends, without parsing it.
//!
//! The scanner only recognizes constructs that can hide a bracket: quoted strings, heredocs,
//! comments, and the templates inside strings. It keeps a stack and does not recurse.

/// The deepest nesting of brackets, strings and templates.
pub const NESTING_MAX: usize = 1000;

/// The construct around the scanner's position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within<'a> {
    /// An expression that ends at this bracket.
    Bracket(u8),
    Quotes,
    /// A heredoc that ends at this word.
    Heredoc(&'a str),
}

/// Returns the offset of the closing brace after an expression that starts at `start`.
pub fn closing_brace(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut stack = vec![Within::Bracket(b'}')];
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        match *stack.last()? {
            Within::Bracket(closing) => {
                match byte {
                    b'"' => stack.push(Within::Quotes),
                    b'(' => stack.push(Within::Bracket(b')')),
                    b'[' => stack.push(Within::Bracket(b']')),
                    b'{' => stack.push(Within::Bracket(b'}')),
                    b'#' | b'/' | b'<' => {
                        let (length, heredoc) = comment_or_heredoc(rest);
                        stack.extend(heredoc.map(Within::Heredoc));
                        at += length;
                        continue;
                    }
                    _ if byte == closing => {
                        stack.pop();
                        if stack.is_empty() {
                            return Some(at);
                        }
                    }
                    b')' | b']' | b'}' => return None,
                    _ => {}
                }
                at += 1;
            }
            Within::Quotes => match byte {
                b'\\' => at += 2,
                b'"' => {
                    stack.pop();
                    at += 1;
                }
                b'\n' => return None,
                _ => at += in_template(rest, &mut stack),
            },
            Within::Heredoc(word) => {
                let starts_line = at > start && bytes.get(at - 1) == Some(&b'\n');
                let last = if starts_line { last_line(rest, word) } else { None };
                if let Some(length) = last {
                    stack.pop();
                    at += length;
                } else {
                    at += in_template(rest, &mut stack);
                }
            }
        }
        if stack.len() > NESTING_MAX {
            return None;
        }
    }
    None
}

/// Returns the length of the first line, if the line is the word that ends a heredoc.
fn last_line(rest: &str, word: &str) -> Option<usize> {
    let line = rest.split('\n').next()?;
    (line.trim() == word).then_some(line.len())
}

/// Reads a comment or the start of a heredoc at a slash, a hash or an angle bracket. Returns the
/// length to skip, and the word that ends the heredoc if a heredoc starts.
fn comment_or_heredoc(rest: &str) -> (usize, Option<&str>) {
    if rest.starts_with('#') || rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), None);
    }
    if let Some(comment) = rest.strip_prefix("/*") {
        return (comment.find("*/").map_or(rest.len(), |end| end + 4), None);
    }
    let Some(word) = rest.strip_prefix("<<") else {
        return (1, None);
    };
    let word = word.strip_prefix('-').unwrap_or(word);
    let in_word = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
    let length = word.find(|char| !in_word(char)).unwrap_or(word.len());
    let (word, after) = word.split_at(length);
    let ends_line = after.starts_with('\n') || after.starts_with("\r\n");
    if word.is_empty() || !ends_line {
        return (2, None);
    }
    let after = rest.len() - after.len();
    (
        after + rest.get(after..).and_then(|rest| rest.find('\n')).map_or(0, |end| end + 1),
        Some(word),
    )
}

/// Returns the length of the next step in a template: past a character or an escape, or into an
/// expression.
fn in_template(rest: &str, stack: &mut Vec<Within>) -> usize {
    let bytes = rest.as_bytes();
    let Some(&sign @ (b'$' | b'%')) = bytes.first() else {
        return 1;
    };
    let run = bytes.iter().take_while(|byte| **byte == sign).count();
    if bytes.get(run) != Some(&b'{') {
        return run;
    }
    if run == 1 {
        stack.push(Within::Bracket(b'}'));
    }
    run + 1
}
