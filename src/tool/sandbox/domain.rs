//! The system's side of the sandbox.

use std::io;

use super::grants::Grants;
use super::settings::Network;

/// What the kernel can do: the version of its Landlock interface, 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Support(pub u32);

impl Support {
    /// Asks the kernel.
    pub fn probe() -> Support {
        platform::probe()
    }

    /// Whether files are kept: reading, writing, and truncating, which came
    /// with version 3.
    pub fn files(self) -> bool {
        self.0 >= 3
    }

    /// Whether TCP is kept.
    pub fn network(self) -> bool {
        self.0 >= 4
    }

    /// Whether signals to processes outside are kept.
    pub fn signals(self) -> bool {
        self.0 >= 6
    }
}

/// Puts the calling thread, and all that it starts from now on, into a domain.
/// It can never leave it.
pub(super) fn enter(grants: &Grants, network: Network) -> io::Result<()> {
    platform::enter(grants, network)
}

#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
mod platform {
    use std::collections::BTreeMap;
    use std::io;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, LandlockStatus, RestrictionStatus, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
    };

    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, TargetArch,
    };

    use super::{Grants, Network, Support};

    pub fn probe() -> Support {
        // Only an attempt tells, and that can't be undone: a thread is spent.
        let attempt = std::thread::Builder::new()
            .name("greenroom-sandbox".to_owned())
            .spawn(|| restrict(&Grants::default(), Network::Deny));
        let tried = attempt.map(|thread| thread.join());
        match tried {
            Ok(Ok(Ok(status))) => match status.landlock {
                LandlockStatus::Available { effective_abi, .. } => Support(effective_abi as u32),
                LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => Support(0),
            },
            _ => Support(0),
        }
    }

    pub fn enter(grants: &Grants, network: Network) -> io::Result<()> {
        let entered = restrict(grants, network).map_err(io::Error::other)?;
        if entered.ruleset == RulesetStatus::NotEnforced {
            return Err(io::Error::other("the sandbox is gone"));
        }
        match network {
            Network::Allow => Ok(()),
            Network::Deny => no_sockets().map_err(io::Error::other),
        }
    }

    /// Landlock knows TCP alone, and not all ways to it. From here on sockets can
    /// be had for this machine's own files (Unix) and for questions to the
    /// kernel (netlink), and no others; nor io_uring, which makes some by itself.
    fn no_sockets() -> Result<(), seccompiler::Error> {
        let is_not = |family: libc::c_int| {
            let family = u64::from(family.unsigned_abs());
            SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family)
        };
        let others = SeccompRule::new(vec![is_not(libc::AF_UNIX)?, is_not(libc::AF_NETLINK)?])?;
        let rules = BTreeMap::from([
            (libc::SYS_socket, vec![others]),
            (libc::SYS_io_uring_setup, Vec::new()),
        ]);
        let filter: BpfProgram = SeccompFilter::new(
            rules,
            SeccompAction::Allow,
            SeccompAction::Errno(libc::EACCES.unsigned_abs()),
            ARCHITECTURE,
        )?
        .try_into()?;
        seccompiler::apply_filter(&filter)
    }

    #[cfg(target_arch = "x86_64")]
    const ARCHITECTURE: TargetArch = TargetArch::x86_64;
    #[cfg(target_arch = "aarch64")]
    const ARCHITECTURE: TargetArch = TargetArch::aarch64;
    #[cfg(target_arch = "riscv64")]
    const ARCHITECTURE: TargetArch = TargetArch::riscv64;

    fn restrict(grants: &Grants, network: Network) -> Result<RestrictionStatus, RulesetError> {
        // What a kernel does not know it leaves out; whether that is enough is
        // decided before.
        let all = AccessFs::from_all(ABI::V5);
        let read = AccessFs::from_read(ABI::V5);
        let mut ruleset = Ruleset::default().handle_access(all)?;
        if network == Network::Deny {
            ruleset = ruleset.handle_access(AccessNet::from_all(ABI::V4))?;
        }
        ruleset
            .scope(Scope::from_all(ABI::V6))?
            .create()?
            .add_rules(path_beneath_rules(&grants.write, all))?
            .add_rules(path_beneath_rules(&grants.read, read))?
            .restrict_self()
    }
}

#[cfg(not(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
)))]
mod platform {
    use std::io;

    use super::{Grants, Network, Support};

    pub fn probe() -> Support {
        Support(0)
    }

    pub fn enter(_: &Grants, _: Network) -> io::Result<()> {
        Err(io::Error::other("there is no sandbox on this system"))
    }
}
