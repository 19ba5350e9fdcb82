use zed_extension_api::{self as zed, settings::LspSettings, LanguageServerId, Result, Worktree};

const PACKAGE: &str = "httpd-upgrade";
const SCRIPT: &str = "node_modules/httpd-upgrade/dist/cli.js";

struct HttpdUpgrade;

impl zed::Extension for HttpdUpgrade {
    fn new() -> Self {
        HttpdUpgrade
    }

    /// The command in the PATH, or else the newest npm package, run by the Node.js of Zed.
    fn language_server_command(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<zed::Command> {
        let arguments = ["server".to_string(), "--stdio".to_string()];
        if let Some(command) = worktree.which(PACKAGE) {
            return Ok(zed::Command {
                command,
                args: arguments.to_vec(),
                env: worktree.shell_env(),
            });
        }
        zed::set_language_server_installation_status(
            id,
            &zed::LanguageServerInstallationStatus::CheckingForUpdate,
        );
        let version = zed::npm_package_latest_version(PACKAGE)?;
        if zed::npm_package_installed_version(PACKAGE)?.as_deref() != Some(version.as_str()) {
            zed::set_language_server_installation_status(
                id,
                &zed::LanguageServerInstallationStatus::Downloading,
            );
            zed::npm_install_package(PACKAGE, &version)?;
        }
        let script = std::env::current_dir()
            .map_err(|error| error.to_string())?
            .join(SCRIPT)
            .to_string_lossy()
            .to_string();
        let mut args = vec![script];
        args.extend(arguments);
        Ok(zed::Command {
            command: zed::node_binary_path()?,
            args,
            env: Default::default(),
        })
    }

    fn language_server_initialization_options(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<zed::serde_json::Value>> {
        LspSettings::for_worktree(id.as_ref(), worktree)
            .map(|settings| settings.initialization_options)
    }
}

zed::register_extension!(HttpdUpgrade);
