//! An output: standard output, or a file that appears only when it is complete.

use std::fs::{File, Metadata, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use plansift_core::error::{Error, Result};

/// The start of the names of unfinished files.
pub const UNFINISHED: &str = ".plansift-";

/// Standard output, a device, a pipe, or a file that appears only when it is complete.
#[derive(Debug)]
pub struct OutputFile {
    file: File,
    /// `None` for standard output, a device or a pipe, which is written in place.
    unfinished: Option<Unfinished>,
}

/// A temporary file in the folder of its final path. Only the owner may read the temporary file.
#[derive(Debug)]
struct Unfinished {
    temporary: TempPath,
    path: PathBuf,
    /// The permissions of the finished file.
    permissions: Permissions,
}

impl OutputFile {
    /// Opens the output at a path; `None` is standard output.
    ///
    /// # Errors
    ///
    /// Fails if the path is a folder, or if the folder of the file cannot be written to.
    pub fn open(path: Option<&Path>) -> Result<OutputFile> {
        OutputFile::open_with(path, UNFINISHED, |make| make())
    }

    /// Opens the output at a path; `None` is standard output. The name of an unfinished file starts
    /// with `prefix`. `create` must call its argument, which creates the unfinished file. A program
    /// can record the file there, and remove it when a signal ends the program.
    ///
    /// # Errors
    ///
    /// Fails like [`OutputFile::open`].
    pub fn open_with(
        path: Option<&Path>,
        prefix: &str,
        create: impl FnOnce(&dyn Fn() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile>,
    ) -> Result<OutputFile> {
        let in_place = |file| OutputFile { file, unfinished: None };
        let Some(path) = path.filter(|path| !is_standard(path)) else {
            return standard().map(in_place).map_err(Error::write);
        };
        let path = follow_links(path).map_err(Error::write)?;
        let existing = std::fs::metadata(&path).ok();
        if is_folder(&path) {
            let error =
                io::Error::new(io::ErrorKind::IsADirectory, "this is a folder: name a file");
            return Err(Error::write(error));
        }
        if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
            // A device or a pipe cannot be replaced by a file.
            let file = File::options().write(true).open(&path);
            return file.map(in_place).map_err(Error::write);
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
        let created = create(&|| builder.tempfile_in(directory));
        let created = created.map_err(|error| Error::write(in_folder(directory, &error)))?;
        let (file, temporary) = created.into_parts();
        if let Some(existing) = existing {
            copy_permissions(&existing, &file).map_err(Error::write)?;
        }
        let permissions = keep_private(&file).map_err(Error::write)?;
        let unfinished = Some(Unfinished { temporary, path, permissions });
        Ok(OutputFile { file, unfinished })
    }

    /// Returns a writer to the output, without buffering.
    ///
    /// # Errors
    ///
    /// Fails if the system has no more file handles.
    pub fn writer(&self) -> Result<File> {
        self.file.try_clone().map_err(Error::write)
    }

    /// Whether the output is written in place: standard output, a device or a pipe.
    pub fn is_in_place(&self) -> bool {
        self.unfinished.is_none()
    }

    /// Gives the complete file its final name.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be synced or renamed.
    pub fn finish(self) -> Result<()> {
        let OutputFile { file, unfinished } = self;
        let Some(Unfinished { temporary, path, permissions }) = unfinished else { return Ok(()) };
        file.set_permissions(permissions).map_err(Error::write)?;
        file.sync_all().map_err(Error::write)?;
        temporary.persist(path).map_err(|error| Error::write(error.error))
    }
}

/// Names the folder of an unfinished file that cannot be created, instead of that file.
fn in_folder(folder: &Path, error: &io::Error) -> io::Error {
    let text = error.to_string();
    let reason = text.rsplit_once(" at path ").map_or(&*text, |(reason, _)| reason);
    let words = format!("cannot create a file in the folder {}: {reason}", folder.display());
    io::Error::new(error.kind(), words)
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
