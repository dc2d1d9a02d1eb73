//! The kinds of change to a resource instance, and how often each occurs.

/// The kind of change to an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    NoOp,
    NoOpMoved,
    NoOpImported,
    Create,
    Update,
    UpdateMoved,
    UpdateImported,
    Delete,
    DeleteDeposed,
    DeleteCreate,
    CreateDelete,
    Forget,
    CreateForget,
    ForgetCreate,
    Read,
    Open,
}

/// The kinds of the changes that are no plain no-op. Common kinds occur several times.
const MIX: [Kind; 24] = [
    Kind::Update,
    Kind::Create,
    Kind::Update,
    Kind::Create,
    Kind::Update,
    Kind::Delete,
    Kind::Update,
    Kind::DeleteCreate,
    Kind::Update,
    Kind::CreateDelete,
    Kind::Read,
    Kind::Update,
    Kind::NoOpMoved,
    Kind::UpdateMoved,
    Kind::Update,
    Kind::NoOpImported,
    Kind::UpdateImported,
    Kind::Forget,
    Kind::CreateForget,
    Kind::ForgetCreate,
    Kind::DeleteDeposed,
    Kind::Update,
    Kind::Open,
    Kind::Create,
];

impl Kind {
    /// Selects a kind by a random number.
    pub fn of_mix(random: u64) -> Kind {
        MIX[(random % MIX.len() as u64) as usize]
    }

    pub fn actions(self) -> &'static str {
        match self {
            Kind::NoOp | Kind::NoOpMoved | Kind::NoOpImported => r#"["no-op"]"#,
            Kind::Create => r#"["create"]"#,
            Kind::Update | Kind::UpdateMoved | Kind::UpdateImported => r#"["update"]"#,
            Kind::Delete | Kind::DeleteDeposed => r#"["delete"]"#,
            Kind::DeleteCreate => r#"["delete","create"]"#,
            Kind::CreateDelete => r#"["create","delete"]"#,
            Kind::Forget => r#"["forget"]"#,
            Kind::CreateForget => r#"["create","forget"]"#,
            Kind::ForgetCreate => r#"["forget","create"]"#,
            Kind::Read => r#"["read"]"#,
            Kind::Open => r#"["open"]"#,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Kind::NoOp | Kind::NoOpMoved | Kind::NoOpImported => "no-op",
            Kind::Create => "create",
            Kind::Update | Kind::UpdateMoved | Kind::UpdateImported => "update",
            Kind::Delete | Kind::DeleteDeposed => "delete",
            Kind::DeleteCreate | Kind::CreateDelete | Kind::CreateForget | Kind::ForgetCreate => {
                "replace"
            }
            Kind::Forget => "forget",
            Kind::Read => "read",
            Kind::Open => "open",
        }
    }

    pub fn has_before(self) -> bool {
        !matches!(self, Kind::Create | Kind::Read | Kind::Open)
    }

    pub fn has_after(self) -> bool {
        !matches!(self, Kind::Delete | Kind::DeleteDeposed | Kind::Forget | Kind::Open)
    }

    /// Whether `after` is a new object: after a create, a read or a replacement.
    pub fn is_new(self) -> bool {
        self.has_after() && !matches!(self.word(), "no-op" | "update")
    }

    /// Whether `before` and `after` are both present and differ.
    pub fn changes(self) -> bool {
        self.has_before() && self.has_after() && self.word() != "no-op"
    }
}
