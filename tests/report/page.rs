//! A page of Markdown, parsed as a code host parses it.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The content of a page.
#[derive(Debug, Default)]
pub struct Page {
    /// The text outside of code.
    pub text: String,
    /// The contents of code spans and fences.
    pub code: Vec<String>,
    /// Rows of tables, cell by cell.
    pub rows: Vec<Vec<String>>,
    /// Title of each section, with the number of changes that the title states.
    pub sections: Vec<(String, u64)>,
    /// The markers in HTML comments.
    pub markers: Vec<String>,
    /// The entries of each section: the first line in Markdown, and the number of changes that the
    /// entry stands for.
    pub entries: BTreeMap<String, Vec<(String, u64)>>,
    /// Number of changes left out, by the word for their kind.
    pub left_out: BTreeMap<String, u64>,
}

impl Page {
    /// Number of changes that the entries of a section show.
    pub fn shown(&self, section: &str) -> u64 {
        self.entries.get(section).into_iter().flatten().map(|(_, count)| count).sum()
    }
}

/// Parses a page. Panics if it has markup that reports do not write.
pub fn read(text: &str) -> Page {
    let mut page = Page::default();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let (mut depth, mut is_fenced, mut cell) = (0_u32, false, None::<String>);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Html(html) => depth = markup(html.trim_end(), depth, &mut page),
            Event::Text(text) if is_fenced => {
                page.code.last_mut().expect("a fence").push_str(&text);
            }
            Event::Text(text) => {
                page.text.push_str(&text);
                cell.iter_mut().for_each(|cell| cell.push_str(&text));
            }
            Event::Code(code) => {
                cell.iter_mut().for_each(|cell| cell.push_str(&code));
                page.code.push(code.into_string());
            }
            Event::SoftBreak => page.text.push('\n'),
            Event::Start(Tag::CodeBlock(_)) => {
                is_fenced = true;
                page.code.push(String::new());
            }
            Event::End(TagEnd::CodeBlock) => is_fenced = false,
            Event::Start(Tag::TableHead | Tag::TableRow) => page.rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => cell = Some(String::new()),
            Event::End(TagEnd::TableCell) => {
                page.rows.last_mut().expect("a row").extend(cell.take());
            }
            Event::Start(Tag::Paragraph) if depth > 0 => entry(&text[range], &mut page),
            Event::Start(
                Tag::Paragraph
                | Tag::Heading { .. }
                | Tag::HtmlBlock
                | Tag::List(None)
                | Tag::Item
                | Tag::Strong
                | Tag::Emphasis
                | Tag::Table(_),
            )
            | Event::End(_) => {}
            other => panic!("{other:?} in: {text}"),
        }
    }
    assert_eq!(depth, 0, "details that are not closed: {text}");
    if let Some(line) = text.lines().last().filter(|line| line.starts_with('…')) {
        left_out(line, &mut page);
    }
    page
}

/// Parses a line of HTML and returns the new depth of `<details>`. Panics if reports do not write
/// such a line.
fn markup(line: &str, depth: u32, page: &mut Page) -> u32 {
    if let Some(title) = line.strip_prefix("<summary>").and_then(|it| it.strip_suffix("</summary>"))
    {
        let (title, count) = title.rsplit_once(": ").expect("a title and a number");
        if depth > 1 {
            assert_eq!(title, "Long values");
            return depth;
        }
        assert!(!title.contains(['<', '&']), "{title}");
        let count = count.parse().expect("a number");
        page.sections.push((title.to_owned(), count));
        page.entries.entry(title.to_owned()).or_default();
        return depth;
    }
    if let Some(marker) = line.strip_prefix("<!-- plansift:report ") {
        let marker = marker.strip_suffix(" -->").expect("an end");
        page.markers.push(marker.to_owned());
        return depth;
    }
    match line {
        "<details>" => depth + 1,
        "</details>" => depth.checked_sub(1).expect("details are open"),
        "" => depth,
        line => panic!("foreign markup: {line}"),
    }
}

/// Adds an entry to the current section.
fn entry(text: &str, page: &mut Page) {
    let (title, _) = page.sections.last().expect("a section");
    let head = text.lines().next().unwrap_or_default().to_owned();
    let count = head.rsplit_once(" alike)").map_or(1, |(before, _)| {
        let (_, number) = before.rsplit_once('(').expect("a number");
        number.parse().expect("a number")
    });
    page.entries.get_mut(title).expect("a section").push((head, count));
}

/// Parses a line such as `… and 312 more: 300 updates, 12 creates.`
fn left_out(line: &str, page: &mut Page) {
    let (head, rest) = line.split_once(": ").expect("kinds");
    let all = head.strip_prefix("… and ").and_then(|it| it.strip_suffix(" more"));
    let all: u64 = all.expect("a number").parse().expect("a number");
    let kinds = rest.split('.').next().expect("a sentence");
    for kind in kinds.split(", ") {
        let (count, word) = kind.split_once(' ').expect("a number and a word");
        page.left_out.insert(word.trim_end_matches('s').to_owned(), count.parse().expect("one"));
    }
    assert_eq!(page.left_out.values().sum::<u64>(), all, "{line}");
}
