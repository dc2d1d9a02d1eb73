//! Writes tables as Parquet files, one for each table.

use std::io::Write;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::WriterProperties;

use crate::table::Table;
use crate::tables::BatchConsumer;
use plansift_core::error::Result;
use plansift_plan::sink::write_error;

/// Writes one file for each table. A table without rows also gets a file, so that every query
/// finds its columns.
pub struct ParquetFiles<W: Write + Send> {
    files: Vec<(&'static str, ArrowWriter<W>)>,
}

impl<W: Write + Send> ParquetFiles<W> {
    /// Starts a file for each table. `open` opens the file of a table. The files say that their
    /// rows have the order `order`.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be opened or written to.
    pub fn new(
        tables: &[Table],
        order: RowOrder,
        mut open: impl FnMut(&Table) -> Result<W>,
    ) -> Result<ParquetFiles<W>> {
        let properties = |table| {
            WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .set_created_by("plansift".to_owned())
                .set_max_row_group_row_count(Some(1 << 17))
                .set_sorting_columns(order.columns(table))
                .build()
        };
        let files = tables.iter().map(|table| {
            let properties = Some(properties(table));
            let writer = ArrowWriter::try_new(open(table)?, schema(table), properties);
            Ok((table.name, writer.map_err(write_error)?))
        });
        Ok(ParquetFiles { files: files.collect::<Result<_>>()? })
    }
}

/// The order of the rows of all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrder {
    /// The order of the records.
    Records,
    /// By workspace, in the order of its bytes. Rows without a workspace come first.
    Workspace,
}

impl RowOrder {
    fn columns(self, table: &Table) -> Option<Vec<SortingColumn>> {
        if self == RowOrder::Records {
            return None;
        }
        let index = table.columns.iter().position(|column| column.name == "workspace")?;
        let column_idx = i32::try_from(index).ok()?;
        Some(vec![SortingColumn { column_idx, descending: false, nulls_first: true }])
    }
}

fn schema(table: &Table) -> SchemaRef {
    crate::builder::TableBuilder::new(table.clone()).schema()
}

impl<W: Write + Send> BatchConsumer for ParquetFiles<W> {
    fn batch(&mut self, table: &Table, batch: RecordBatch) -> Result<()> {
        let writer = self.files.iter_mut().find(|(name, _)| *name == table.name);
        let Some((_, writer)) = writer else { return Ok(()) };
        writer.write(&batch).map_err(write_error)?;
        // The writer keeps a row group in memory.
        if writer.in_progress_size() >= ROW_GROUP_BYTES {
            writer.flush().map_err(write_error)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        for (_, writer) in &mut self.files {
            writer.finish().map_err(write_error)?;
        }
        Ok(())
    }
}

/// The encoded bytes after which a row group ends.
const ROW_GROUP_BYTES: usize = 16 << 20;
