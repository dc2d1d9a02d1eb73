//! The output of `-V` and `--version`.

/// The version, and the commit of the build if it is known.
pub const SHORT: &str = env!("PLANSIFT_VERSION");

/// [`SHORT`], the built-in features and the target.
pub const LONG: &str = concat!(
    env!("PLANSIFT_VERSION"),
    "\nfeatures: ",
    env!("PLANSIFT_FEATURES"),
    "\ntarget: ",
    env!("PLANSIFT_TARGET")
);
