//! Standard output, or a file that appears whole or not at all.

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

#[cfg(target_os = "linux")]
use super::interrupt;
use crate::error::{Error, ErrorKind, Result};

/// Where data goes.
pub enum Output {
    /// Standard output, a device or a pipe, not line by line.
    Standard(File),
    /// A file in the making, beside the one it becomes.
    File(NamedTempFile, PathBuf),
}

impl Output {
    /// Opens what the user asked for.
    ///
    /// # Errors
    ///
    /// The file's directory cannot be written to.
    pub fn open(path: Option<&Path>) -> Result<Output> {
        let Some(path) = path else {
            return standard().map(Output::Standard).map_err(write_error);
        };
        if STANDARD.iter().any(|name| path == Path::new(name)) {
            return standard().map(Output::Standard).map_err(write_error);
        }
        let path = &behind_links(path).map_err(write_error)?;
        let there = std::fs::metadata(path).ok();
        if there.as_ref().is_some_and(|there| there.is_dir()) {
            return Err(write_error(io::ErrorKind::IsADirectory.into()));
        }
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            // A device or a pipe is no file that could be replaced.
            let file = File::options().write(true).open(path).map_err(write_error)?;
            return Ok(Output::Standard(file));
        }
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".plansift-");
        #[cfg(unix)]
        if there.is_none() {
            // As any new file of the user's: the kernel takes the user's mask off this.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let make = || builder.tempfile_in(directory);
        #[cfg(target_os = "linux")]
        let make = || interrupt::unfinished(make);
        let file = make().map_err(write_error)?;
        if let Some(there) = there {
            stand_in_for(&there, file.as_file()).map_err(write_error)?;
        }
        Ok(Output::File(file, path.to_owned()))
    }

    /// A writer to it.
    ///
    /// # Errors
    ///
    /// The system is out of handles.
    pub fn writer(&self) -> Result<File> {
        match self {
            Output::Standard(file) => file.try_clone(),
            Output::File(file, _) => file.as_file().try_clone(),
        }
        .map_err(write_error)
    }

    /// Gives the file its name, now that it is whole.
    ///
    /// # Errors
    ///
    /// It cannot be brought to the disk or renamed.
    pub fn finish(self) -> Result<()> {
        match self {
            Output::Standard(mut file) => file.flush().map_err(write_error),
            Output::File(file, path) => {
                file.as_file().sync_all().map_err(write_error)?;
                file.persist(path).map_err(|error| write_error(error.error))?;
                Ok(())
            }
        }
    }
}

/// Writes a text to where the user asked for.
///
/// # Errors
///
/// It cannot be written.
pub fn write_whole(path: Option<&Path>, text: &[u8]) -> Result<()> {
    let output = Output::open(path)?;
    output.writer()?.write_all(text).map_err(write_error)?;
    output.finish()
}

/// Links to what standard output is, which may be a file that others write to as well, and must not
/// be replaced.
const STANDARD: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Whether the output would replace an input.
pub fn replaces(output: &Path, input: &Path) -> bool {
    // What is no file is not replaced.
    output.is_file()
        && input != Path::new("-")
        && std::fs::canonicalize(output)
            .is_ok_and(|output| std::fs::canonicalize(input).is_ok_and(|input| input == output))
}

/// Whether the output would replace the file that standard input is.
#[cfg(unix)]
pub fn replaces_stdin(output: &Path) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let stdin = io::stdin().as_fd().try_clone_to_owned();
    let stdin = stdin.and_then(|descriptor| File::from(descriptor).metadata());
    let place = |it: Metadata| it.is_file().then(|| (it.dev(), it.ino()));
    let place_of = |it: io::Result<Metadata>| it.ok().and_then(place);
    place_of(stdin).is_some_and(|input| place_of(std::fs::metadata(output)) == Some(input))
}

/// Whether the output would replace the file that standard input is. Elsewhere that is not known.
#[cfg(not(unix))]
pub fn replaces_stdin(_output: &Path) -> bool {
    false
}

/// Whether two outputs, none of them a device, are one; `None` is standard output.
pub fn is_same(one: Option<&Path>, other: Option<&Path>) -> bool {
    let is_standard = |path: Option<&Path>| {
        path.is_none_or(|it| STANDARD.iter().any(|name| it == Path::new(name)))
    };
    let place = |path: &Path| {
        let path = behind_links(path).ok()?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = std::fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    };
    match (one, other) {
        (Some(one), Some(other)) if !is_standard(Some(one)) && !is_standard(Some(other)) => {
            // What leads nowhere fails when it is opened.
            let (one, other) = (place(one), place(other));
            one.is_some_and(|one| Some(&one) == other.as_ref() && (one.is_file() || !one.exists()))
        }
        _ => is_standard(one) && is_standard(other),
    }
}

/// Whether a path leads into a folder that is there.
pub fn lies_in(path: &Path, folder: &Path) -> bool {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = std::fs::canonicalize(parent.unwrap_or(Path::new(".")));
    let folder = std::fs::canonicalize(folder);
    parent.is_ok_and(|parent| folder.is_ok_and(|folder| parent.starts_with(folder)))
}

/// What a path stands for, which is what is written, whether it is there yet or not.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    const LINKS_MAX: u32 = 40;
    let error = match std::fs::canonicalize(path) {
        Ok(path) => return Ok(path),
        Err(error) => error,
    };
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        match std::fs::read_link(&path) {
            // From the link's own folder, or from the root.
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    // A circle of links.
    Err(error)
}

/// Gives a new file the rights and the owner of the one it will replace.
fn stand_in_for(there: &Metadata, file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        // Only the superuser may give a file away: otherwise it becomes the user's own. A group is
        // told apart, because what it may do must not go to another.
        let _ = fchown(file, Some(there.uid()), None);
        let rights = match fchown(file, None, Some(there.gid())) {
            Ok(()) => 0o777,
            Err(_) => 0o707,
        };
        file.set_permissions(std::fs::Permissions::from_mode(there.mode() & rights))
    }
    #[cfg(not(unix))]
    file.set_permissions(there.permissions())
}

fn write_error(error: io::Error) -> Error {
    Error::io(ErrorKind::Write, error)
}

#[cfg(unix)]
fn standard() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn standard() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}
