//! Compares tables with the JSON of the same records.

use std::fs;
use std::io::{Read, Seek};
use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Value, json};

use crate::parquet::{ParquetFiles, RowOrder};
use crate::table::{Cells, Column, Family, PATHS, PLANS, Table};
use crate::tables::{BatchConsumer, Tables};
use plansift_core::error::Result;
use plansift_core::input::Slice;
use plansift_plan::plan::Documents;
use plansift_plan::record::{
    Extent, Label, RecordOptions, RecordRequest, Show, Sink, write_records,
};
use plansift_plan::sink::ndjson::Ndjson;

/// Keeps the rows of all batches as JSON objects, without null cells.
#[derive(Default)]
struct Rows(Vec<(&'static str, Map<String, Value>)>);

impl BatchConsumer for &mut Rows {
    fn batch(&mut self, table: &Table, batch: RecordBatch) -> Result<()> {
        for row in 0..batch.num_rows() {
            let cells = table.columns.iter().zip(batch.columns());
            let members = cells
                .filter(|(_, array)| !array.is_null(row))
                .map(|(column, array)| (column.name.clone(), cell(column, array, row)));
            self.0.push((table.name, members.collect()));
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

fn cell(column: &Column, array: &dyn Array, row: usize) -> Value {
    match column.cells {
        Cells::Text => array.as_string::<i32>().value(row).into(),
        Cells::Json => {
            serde_json::from_str(array.as_string::<i32>().value(row)).expect("JSON text")
        }
        Cells::Integer => array.as_primitive::<Int64Type>().value(row).into(),
        Cells::Boolean => array.as_boolean().value(row).into(),
        Cells::Texts => {
            let list = array.as_list::<i32>().value(row);
            list.as_string::<i32>().iter().map(|text| text.expect("no null")).collect()
        }
        Cells::Time => array.as_primitive::<TimestampMicrosecondType>().value(row).into(),
    }
}

/// The plans of the corpus that have records.
fn plans() -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/plans");
    let entries = fs::read_dir(folder).expect("the corpus");
    let mut files: Vec<_> =
        entries.map(|it| it.expect("a folder").path().join("plan.json")).collect();
    files.sort();
    let plans: Vec<_> = files.iter().filter_map(|file| fs::read(file).ok()).collect();
    assert!(plans.len() > 20, "{}", plans.len());
    plans
}

fn write(plan: &[u8], sink: &mut dyn Sink) {
    let options = RecordOptions {
        show: Show::All,
        extent: Extent::Paths,
        relevant: true,
        ..RecordOptions::default()
    };
    let mut documents = Documents::only(Slice(plan), &options.read);
    let label = Label { source: "plan.json", workspace: Some("w") };
    if let Err(error) = write_records(&mut documents, RecordRequest::new(label, &options), sink) {
        sink.failed(label, &error).expect("the sink takes errors");
    }
}

/// The members of a record as a row would have them.
fn flat(record: &Map<String, Value>) -> Map<String, Value> {
    let mut row = Map::new();
    for (name, value) in record {
        match (name.as_str(), value) {
            ("source", Value::Object(block)) => {
                row.extend(block.iter().map(|(name, it)| (format!("block_{name}"), it.clone())));
            }
            ("terraform", Value::Object(counts)) => {
                row.extend(
                    counts.iter().map(|(name, it)| (format!("terraform_{name}"), it.clone())),
                );
            }
            ("timestamp", _) => {}
            _ => drop(row.insert(name.clone(), value.clone())),
        }
    }
    row
}

#[test]
fn every_record_is_a_row_with_the_same_cells() {
    let (mut count, mut failed) = (0, 0);
    for plan in plans() {
        let mut out = Vec::new();
        write(&plan, &mut Ndjson::new(&mut out));
        let mut rows = Rows::default();
        let mut tables = Tables::new(Family::Changes.tables(), &mut rows);
        write(&plan, &mut tables);
        tables.finish().expect("the rows end");
        let mut head = Map::new();
        for line in out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let record: Map<String, Value> = serde_json::from_slice(line).expect("a record");
            let kind = record["kind"].as_str().expect("a kind").to_owned();
            let mut row = flat(&record);
            if kind == "plan" {
                head = row;
                continue;
            }
            let common = json!({"source": "plan.json", "workspace": "w", "schema_version": 1});
            row.extend(common.as_object().expect("an object").clone());
            if kind == "summary" {
                row.insert("status".to_owned(), "done".into());
                for (name, value) in &head {
                    row.entry(name.clone()).or_insert(value.clone());
                }
                row.insert("kind".to_owned(), "summary".into());
            }
            let at = rows.0.iter().position(|(table, it)| {
                let mut it = it.clone();
                it.remove("timestamp");
                *table != PATHS && it == row
            });
            let at = at.unwrap_or_else(|| panic!("no row {row:#?} in {:#?}", rows.0));
            rows.0.remove(at);
            count += 1;
        }
        // The other rows are paths, or say that the plan failed.
        let (paths, others): (Vec<_>, Vec<_>) = rows.0.into_iter().partition(|it| it.0 == PATHS);
        assert!(paths.iter().all(|(_, row)| row.contains_key("path")));
        assert!(others.len() <= 1, "{others:#?}");
        for (table, row) in others {
            assert_eq!((table, &row["status"]), (PLANS, &json!("failed")));
            failed += 1;
        }
    }
    assert!(count > 100 && failed > 0, "{count} records, {failed} failed");
}

impl BatchConsumer for &mut Vec<RecordBatch> {
    fn batch(&mut self, _: &Table, batch: RecordBatch) -> Result<()> {
        self.push(batch);
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_line_of_ndjson_gives_the_cells_of_its_record() {
    let hidden = r#"{"format_version":"1.2","resource_changes":[{"address":"t.a[\"\u202e##\"]",
        "mode":"managed","type":"t","name":"a","index":"\u202e##","change":{"actions":["update"],
        "before":{"\u202e":1},"after":{"\u202e":2},"importing":{"id":"\u202e##"}}}]}"#;
    let mut plans = plans();
    plans.push(hidden.into());
    for plan in plans {
        let (mut records, mut lines, mut out) = (Vec::new(), Vec::new(), Vec::new());
        let mut tables = Tables::new(Family::Changes.tables(), &mut records);
        write(&plan, &mut tables);
        tables.finish().expect("the rows end");
        write(&plan, &mut Ndjson::new(&mut out));
        let mut tables = Tables::new(Family::Changes.tables(), &mut lines);
        for line in out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            tables.line(line).expect("a record");
        }
        tables.finish().expect("the rows end");
        // The row of a plan that failed is not in the NDJSON.
        records.retain(|batch| batch.schema().column_with_name("error").is_none());
        lines.retain(|batch| batch.schema().column_with_name("error").is_none());
        assert_eq!(records, lines);
    }
}

#[test]
fn a_change_has_a_row_for_each_path() {
    let plan = br#"{"format_version":"1.2","terraform_version":"1.11.4","resource_changes":[
        {"address":"t.a","mode":"managed","type":"t","name":"a","change":{"actions":["update"],
         "before":{"a":1,"b":"x"},"after":{"a":2,"b":"y"},"after_unknown":{"c":true},
         "after_sensitive":{"b":true},"replace_paths":[["a"]]}}]}"#;
    let mut rows = Rows::default();
    let mut tables = Tables::new(Family::Changes.tables(), &mut rows);
    write(plan, &mut tables);
    tables.finish().expect("the rows end");
    let paths = rows.0.iter().filter(|(table, _)| *table == PATHS).map(|(_, row)| {
        let lists = ["changed", "unknown", "sensitive", "replace_paths"].map(|it| row[it] == true);
        (row["address"].as_str(), row["path"].as_str(), lists)
    });
    let expected = [
        (Some("t.a"), Some("a"), [true, false, false, true]),
        (Some("t.a"), Some("b"), [true, false, true, false]),
        (Some("t.a"), Some("c"), [true, true, false, false]),
    ];
    assert_eq!(paths.collect::<Vec<_>>(), expected);
}

/// A plan with a change of `paths` paths, whose address has `len` bytes.
fn change_with_long_address(len: usize, paths: usize) -> String {
    let address = "a".repeat(len);
    let side = |value: u32| {
        let members: Vec<_> = (0..paths).map(|path| format!(r#""p{path}":{value}"#)).collect();
        members.join(",")
    };
    let (before, after) = (side(1), side(2));
    format!(
        r#"{{"format_version":"1.2","resource_changes":[{{"address":"{address}","change":
        {{"actions":["update"],"before":{{{before}}},"after":{{{after}}}}}}}]}}"#
    )
}

/// Checks the batches of the table of paths, and keeps only their number of rows.
#[derive(Default)]
struct Sizes {
    rows: usize,
    /// The bytes of text in the largest batch.
    bytes: usize,
}

impl BatchConsumer for &mut Sizes {
    fn batch(&mut self, _: &Table, batch: RecordBatch) -> Result<()> {
        let texts = batch.columns().iter().filter_map(|column| column.as_string_opt::<i32>());
        self.bytes = self.bytes.max(texts.map(|texts| texts.values().len()).sum());
        self.rows += batch.num_rows();
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_change_with_many_paths_has_bounded_batches() {
    for (len, paths) in [(64 << 10, 5_000), (1_000_000, 2_300)] {
        let mut sizes = Sizes::default();
        let mut tables = Family::Changes.tables();
        tables.retain(|table| table.name == PATHS);
        let mut tables = Tables::new(tables, &mut sizes);
        write(change_with_long_address(len, paths).as_bytes(), &mut tables);
        tables.finish().expect("the rows end");
        assert_eq!(sizes.rows, paths);
        assert!(sizes.bytes < (4 << 20) + len + 100, "{} bytes in a batch", sizes.bytes);
    }
}

#[test]
fn a_row_that_is_too_large_is_an_error_with_its_place() {
    let change = |address: &str| {
        let change = r#"{"actions":["update"],"before":1,"after":2}"#;
        format!(r#"{{"address":"{address}","change":{change}}}"#)
    };
    let changes = [change("t.a"), change(&"a".repeat(1000)), change("t.b")].join(",");
    let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{changes}]}}"#);
    let message = "a row of the table `resource_changes` is larger than 1000 bytes, the maximum: \
                   ask for fewer columns or values";
    fn tables(rows: &mut Rows) -> Tables<&mut Rows> {
        let mut tables = Tables::new(Family::Changes.tables(), rows);
        tables.tables.iter_mut().for_each(|table| table.row_max = 1000);
        tables
    }

    // The plan fails, and its other rows stay.
    let mut rows = Rows::default();
    let mut sink = tables(&mut rows);
    write(plan.as_bytes(), &mut sink);
    write(br#"{"format_version":"1.2","resource_changes":[]}"#, &mut sink);
    sink.finish().expect("the rows end");
    let rows_of = |name| rows.0.iter().filter(move |(table, _)| *table == name);
    let addresses = ["resource_changes", PATHS]
        .map(|table| rows_of(table).map(|(_, row)| row["address"].as_str()).collect::<Vec<_>>());
    assert_eq!(addresses, [vec![Some("t.a")], vec![Some("t.a")]]);
    let plans: Vec<_> =
        rows_of(PLANS).map(|(_, row)| (row["status"].clone(), row.get("error").cloned())).collect();
    // The second change is the third record.
    let error = format!("at record 3: {message}");
    assert_eq!(plans, [("failed".into(), Some(error.into())), ("done".into(), None)]);

    let mut out = Vec::new();
    write(plan.as_bytes(), &mut Ndjson::new(&mut out));
    let mut rows = Rows::default();
    let mut sink = tables(&mut rows);
    let error = out.split(|byte| *byte == b'\n').find_map(|line| sink.line(line).err());
    let error = error.expect("an error").to_string();
    assert_eq!(error, format!("at record 3 of plan.json: {message}"));
}

#[test]
fn a_time_is_in_microseconds_and_a_text_that_is_no_time_is_null() {
    // The number is from GNU date: `date --date 2026-11-28T09:00:15Z +%s`.
    let micros = json!(1_795_856_415_123_456_i64);
    for (text, expected) in [
        ("2026-11-28T14:30:15.123456789+05:30", Some(&micros)),
        ("2026-11-28T09:00:15.123456Z", Some(&micros)),
        ("2026-11-28 at nine", None),
        ("2026-11-28T09:00:15", None),
    ] {
        let plan = json!({"format_version": "1.2", "resource_changes": [], "timestamp": text});
        let mut rows = Rows::default();
        let mut tables = Tables::new(Family::Changes.tables(), &mut rows);
        write(plan.to_string().as_bytes(), &mut tables);
        tables.finish().expect("the rows end");
        let (table, row) = &rows.0[0];
        assert_eq!((*table, &row["status"]), (PLANS, &json!("done")));
        assert_eq!(row.get("timestamp"), expected, "{text}");
    }
}

#[test]
fn parquet_files_have_the_rows_of_all_batches() {
    let change = r#"{"address":"t.a","change":{"actions":["update"],"before":1,"after":2}}"#;
    let changes = vec![change; 20_000].join(",");
    let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{changes}]}}"#);
    let tables = Family::Changes.tables();
    let mut files = Vec::new();
    let parquet = ParquetFiles::new(&tables, RowOrder::Records, |table| {
        let file = tempfile::tempfile().expect("a file");
        files.push((table.name, file.try_clone().expect("a file")));
        Ok(file)
    });
    let mut tables = Tables::new(tables, parquet.expect("the files open"));
    write(plan.as_bytes(), &mut tables);
    tables.finish().expect("the files end");
    for (name, mut file) in files {
        file.rewind().expect("a file");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("the file");
        let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes));
        let reader = reader.expect("Parquet").build().expect("a reader");
        let rows: usize = reader.map(|batch| batch.expect("a batch").num_rows()).sum();
        let expected = match name {
            PLANS => 1,
            "resource_changes" | PATHS => 20_000,
            _ => 0,
        };
        assert_eq!(rows, expected, "{name}");
    }
}

/// The page about tables lists every column.
#[test]
fn the_page_has_the_columns_of_all_tables() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/format/tables.md");
    let text = fs::read_to_string(&page).expect("the page");
    let (start, end) = ("<!-- columns -->\n", "<!-- end of columns -->");
    let from = text.find(start).expect("the start of the columns") + start.len();
    let to = text.find(end).expect("the end of the columns");
    let mut columns = String::new();
    for (family, command) in [
        (Family::Changes, "`changes`, `batch`"),
        (Family::Contents, "`resources`, `outputs`, `variables`, `checks`"),
        (Family::Configuration, "`config`"),
        (Family::Audit, "`audit`"),
    ] {
        columns += &format!("\n### Tables of {command}\n\n| table | columns |\n| --- | --- |\n");
        for table in family.tables() {
            let names = table.columns.iter().map(|it| format!("`{}` {}", it.name, word(it.cells)));
            columns +=
                &format!("| `{}` | {} |\n", table.name, names.collect::<Vec<_>>().join(", "));
        }
    }
    columns += "\n";
    if std::env::var_os("UPDATE").is_some() {
        let text = [&text[..from], &columns, &text[to..]].concat();
        fs::write(&page, text).expect("the page can be written");
    } else {
        assert_eq!(text[from..to], columns, "UPDATE=1 writes docs/format/tables.md");
    }
}

fn word(cells: Cells) -> &'static str {
    match cells {
        Cells::Text => "text",
        Cells::Json => "JSON",
        Cells::Integer => "integer",
        Cells::Boolean => "boolean",
        Cells::Texts => "list",
        Cells::Time => "time",
    }
}
