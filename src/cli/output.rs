//! Outputs: standard output, or a file that appears only when it is complete.

use std::fs::{File, Metadata, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::exit::Exit;
#[cfg(target_os = "linux")]
use super::interrupt;
use super::messages::fail;
use plansift_core::error::{Error, Result};
use plansift_plan::sink::Sink;

/// Where a command writes its result.
pub enum Output {
    /// Standard output, a device or a pipe, without buffering.
    Standard(File),
    /// A temporary file in the folder of the final path, the final path, and the permissions of the
    /// finished file. Only the owner may read the temporary file.
    File(NamedTempFile, PathBuf, Permissions),
    /// Several files in one folder.
    #[cfg(feature = "tables")]
    Folder(Folder),
}

/// The start of the names of unfinished files.
const UNFINISHED: &str = ".plansift-";

impl Output {
    /// Opens the output at a path; `None` is standard output. Fails if the file's directory cannot
    /// be written to.
    pub fn open(path: Option<&Path>) -> Result<Output> {
        Output::open_as(path, UNFINISHED)
    }

    /// Opens the output at a path. The name of an unfinished file starts with `prefix`.
    fn open_as(path: Option<&Path>, prefix: &str) -> Result<Output> {
        let Some(path) = path.filter(|path| !is_standard(path)) else {
            return standard().map(Output::Standard).map_err(Error::write);
        };
        let path = &follow_links(path).map_err(Error::write)?;
        let existing = std::fs::metadata(path).ok();
        if is_folder(path) {
            let error =
                io::Error::new(io::ErrorKind::IsADirectory, "this is a folder: name a file");
            return Err(Error::write(error));
        }
        if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
            // A device or a pipe cannot be replaced by a file.
            let file = File::options().write(true).open(path).map_err(Error::write)?;
            return Ok(Output::Standard(file));
        }
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if !directory.is_dir() {
            let words = format!("there is no folder {}", directory.display());
            return Err(Error::write(io::Error::new(io::ErrorKind::NotFound, words)));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(prefix);
        #[cfg(unix)]
        if existing.is_none() {
            // The kernel applies the user's umask, as for any new file.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(Permissions::from_mode(0o666));
        }
        let make = || builder.tempfile_in(directory);
        #[cfg(target_os = "linux")]
        let make = || interrupt::unfinished(make);
        let file = make().map_err(Error::write)?;
        if let Some(existing) = existing {
            copy_permissions(&existing, file.as_file()).map_err(Error::write)?;
        }
        let permissions = keep_private(file.as_file()).map_err(Error::write)?;
        Ok(Output::File(file, path.to_owned(), permissions))
    }

    /// Returns a writer to the output. Fails if the system has no more file handles.
    pub fn writer(&self) -> Result<File> {
        match self {
            Output::Standard(file) => file.try_clone(),
            Output::File(file, ..) => file.as_file().try_clone(),
            #[cfg(feature = "tables")]
            Output::Folder(_) => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        }
        .map_err(Error::write)
    }

    /// Gives the complete file its final name. Fails if the file cannot be synced or renamed.
    pub fn finish(self) -> Result<()> {
        match self {
            Output::Standard(mut file) => file.flush().map_err(Error::write),
            Output::File(file, path, permissions) => {
                file.as_file().set_permissions(permissions).map_err(Error::write)?;
                file.as_file().sync_all().map_err(Error::write)?;
                file.persist(path).map_err(|error| Error::write(error.error))?;
                Ok(())
            }
            #[cfg(feature = "tables")]
            Output::Folder(mut folder) => {
                std::mem::take(&mut folder.outputs).into_iter().try_for_each(Output::finish)
            }
        }
    }
}

/// The unfinished files of a folder and of folders in it. Folders that were created for them and
/// stay empty are removed.
#[cfg(feature = "tables")]
pub struct Folder {
    /// The folders that were created for the files, each after its parent.
    created: Vec<PathBuf>,
    outputs: Vec<Output>,
}

#[cfg(feature = "tables")]
impl Output {
    /// Creates a folder for several files, and its missing parents.
    pub fn folder(path: &Path) -> Result<Folder> {
        let mut folder = Folder { created: Vec::new(), outputs: Vec::new() };
        folder.create(path)?;
        Ok(folder)
    }
}

#[cfg(feature = "tables")]
impl Folder {
    /// Opens a file of the folder, or of a folder in it, and returns a writer to it.
    pub fn add(&mut self, path: &Path) -> Result<File> {
        path.parent().map_or(Ok(()), |parent| self.create(parent))?;
        let output = Output::open_as(Some(path), &unfinished(path))?;
        let writer = output.writer()?;
        self.outputs.push(output);
        Ok(writer)
    }

    /// Removes the unfinished files that killed runs left for the file at a path.
    pub fn remove_unfinished(path: &Path) -> Result<()> {
        let Some(folder) = path.parent().filter(|folder| folder.is_dir()) else { return Ok(()) };
        let prefix = unfinished(path);
        for entry in folder.read_dir().map_err(Error::write)? {
            let entry = entry.map_err(Error::write)?;
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                std::fs::remove_file(entry.path()).map_err(Error::write)?;
            }
        }
        Ok(())
    }

    /// Creates a folder and its missing parents.
    fn create(&mut self, path: &Path) -> Result<()> {
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.is_dir();
        let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
        for folder in missing.into_iter().rev() {
            match std::fs::create_dir(folder) {
                Ok(()) => self.created.push(folder.to_owned()),
                // Another run created it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
                Err(error) => return Err(Error::write(error)),
            }
        }
        Ok(())
    }
}

/// The start of the names of the unfinished files for the file at a path.
#[cfg(feature = "tables")]
fn unfinished(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{UNFINISHED}{name}-")
}

#[cfg(feature = "tables")]
impl Drop for Folder {
    fn drop(&mut self) {
        self.outputs.clear();
        for folder in self.created.iter().rev() {
            // Fails if the folder has files.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Opens the output at a path, and a writer to it. If that fails, prints the error.
pub fn open(path: Option<&Path>) -> std::result::Result<(File, Output), Exit> {
    let opened = Output::open(path).and_then(|output| Ok((output.writer()?, output)));
    opened.map_err(|error| fail(path, &error))
}

/// Opens the output at a path, and the sink that writes to it. If that fails, prints the error.
pub fn open_sink<'s>(
    path: Option<&Path>,
    sink: impl FnOnce(File) -> Box<dyn Sink + 's>,
) -> std::result::Result<(Box<dyn Sink + 's>, Output), Exit> {
    open(path).map(|(out, output)| (sink(out), output))
}

pub fn is_closed_pipe(error: &Error) -> bool {
    error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Writes a whole output. Fails if the output cannot be written.
pub fn write_whole(path: Option<&Path>, text: &[u8]) -> Result<()> {
    let output = Output::open(path)?;
    output.writer()?.write_all(text).map_err(Error::write)?;
    output.finish()
}

/// Names of standard output. plansift never replaces the file behind standard output, because other
/// programs may write to that file, too.
const STANDARD: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

fn is_standard(path: &Path) -> bool {
    STANDARD.iter().any(|name| path == Path::new(name))
}

/// Returns whether a path is an existing folder or ends with a slash.
pub fn is_folder(path: &Path) -> bool {
    let has_slash = path.to_string_lossy().ends_with(std::path::is_separator);
    has_slash || path.is_dir()
}

/// Returns whether the output would replace an input.
pub fn replaces(output: &Path, input: &Path) -> bool {
    // Devices and pipes are written to, not replaced.
    output.is_file()
        && input != Path::new("-")
        && std::fs::canonicalize(output)
            .is_ok_and(|output| std::fs::canonicalize(input).is_ok_and(|input| input == output))
}

/// Returns whether the output would replace the file behind standard input.
#[cfg(unix)]
pub fn replaces_stdin(output: &Path) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let stdin = io::stdin().as_fd().try_clone_to_owned();
    let stdin = stdin.and_then(|descriptor| File::from(descriptor).metadata());
    let identity = |file: Metadata| file.is_file().then(|| (file.dev(), file.ino()));
    let identity_of = |file: io::Result<Metadata>| file.ok().and_then(identity);
    identity_of(stdin).is_some_and(|input| identity_of(std::fs::metadata(output)) == Some(input))
}

/// Returns false: this system does not report which file is behind standard input.
#[cfg(not(unix))]
pub fn replaces_stdin(_output: &Path) -> bool {
    false
}

/// Returns whether two outputs are the same file, or both standard output (`None`). Devices never
/// count as the same.
pub fn is_same(one: Option<&Path>, other: Option<&Path>) -> bool {
    let [one, other] = [one, other].map(|path| path.filter(|path| !is_standard(path)));
    let real_path = |path: &Path| {
        let path = follow_links(path).ok()?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = std::fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    };
    match (one, other) {
        (Some(one), Some(other)) => {
            // A path in a missing folder fails later, when it is opened.
            let (one, other) = (real_path(one), real_path(other));
            one.is_some_and(|one| Some(&one) == other.as_ref() && (one.is_file() || !one.exists()))
        }
        (one, other) => one.is_none() && other.is_none(),
    }
}

pub fn lies_in(path: &Path, folder: &Path) -> bool {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = std::fs::canonicalize(parent.unwrap_or(Path::new(".")));
    let folder = std::fs::canonicalize(folder);
    parent.is_ok_and(|parent| folder.is_ok_and(|folder| parent.starts_with(folder)))
}

/// Follows the links of a path. The file at the end need not exist yet.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    const LINKS_MAX: u32 = 40;
    let error = match std::fs::canonicalize(path) {
        Ok(path) => return Ok(path),
        Err(error) => error,
    };
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        match std::fs::read_link(&path) {
            // A relative target starts at the folder of the link.
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    // The links form a cycle.
    Err(error)
}

/// Lets only the owner read and write a file. Returns the former permissions.
fn keep_private(file: &File) -> io::Result<Permissions> {
    let permissions = file.metadata()?.permissions();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(permissions)
}

/// Gives a new file the permissions and the owner of the file that it replaces.
fn copy_permissions(existing: &Metadata, file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        // Only the superuser may set another owner; otherwise the user owns the file. If the group
        // cannot be set, the file gets no permissions for a group.
        let _ = fchown(file, Some(existing.uid()), None);
        let mask = match fchown(file, None, Some(existing.gid())) {
            Ok(()) => 0o777,
            Err(_) => 0o707,
        };
        file.set_permissions(std::fs::Permissions::from_mode(existing.mode() & mask))
    }
    #[cfg(not(unix))]
    file.set_permissions(existing.permissions())
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
