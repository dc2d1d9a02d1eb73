//! The block of an object in the source files of the configuration.

use serde::Serialize;

/// The origin of an object. In a record, it is the member `source`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Origin {
    /// The block of the object.
    Block(BlockLocation),
    /// The object has no block.
    Missing {
        /// The reason.
        missing: Missing,
    },
}

/// The reason why an object has no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// The block was removed, so the plan deletes or forgets the object.
    Removed,
    /// The tool generates the block from an imported object.
    Generated,
    /// The files have no such block.
    Unknown,
}

/// The location of a block, and of the module calls around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BlockLocation {
    /// The location of the block.
    #[serde(flatten)]
    pub location: Location,
    /// The blocks that call the module of the block, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub module_calls: Vec<Location>,
}

/// The lines of a block in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Location {
    /// The path of the file, with slashes.
    pub file: String,
    /// The first line, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: u32,
    /// The column in the first line, in grapheme clusters from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub column: u32,
    /// The last line.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub end_line: u32,
}

impl Origin {
    /// Returns the location of the block.
    pub fn location(&self) -> Option<&Location> {
        match self {
            Origin::Block(block) => Some(&block.location),
            Origin::Missing { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_an_object_of_json() {
        let at = |file: &str, line| Location { file: file.into(), line, column: 1, end_line: 9 };
        let (location, module_calls) = (at("m/a\"b.tf", 3), vec![at("main.tf", 7)]);
        let block = Origin::Block(BlockLocation { location, module_calls });
        let text = concat!(
            r#"{"file":"m/a\"b.tf","line":3,"column":1,"end_line":9,"#,
            r#""module_calls":[{"file":"main.tf","line":7,"column":1,"end_line":9}]}"#,
        );
        let json = |origin: &Origin| serde_json::to_string(origin).expect("JSON");
        assert_eq!(json(&block), text);
        let missing = Origin::Missing { missing: Missing::Removed };
        assert_eq!(json(&missing), r#"{"missing":"removed"}"#);
    }
}
