/** Troubles of the library, agents, the catalog, the manifest and git. */
export const skillsIssues = () =>
  ({
    'The library of skills': {
      CONFIG_NOT_FOUND: 'No library is set up on this machine. → Run `loadout init --new <folder>` or `--clone <url>`.',
      'CONFIG_NOT_FOUND/place':
        'there is no library yet, and {place} exists already → loadout init --repo {word} takes it as the library, loadout init --new <folder> makes another',
      'CONFIG_NOT_FOUND/yet':
        'there is no library yet → loadout add <owner/repo> makes one with skills, loadout import --all --adopt one of those that your agents have; loadout init --clone <url> or --repo <folder> takes one that exists',
      'CONFIG_NOT_FOUND/unnamed':
        '{path} names no library → loadout init --new <folder> makes one; --clone <url> and --repo <folder> take one that exists',
      'BAD_SETTINGS/config-value': '{path}: {problem} → repair the file; nothing was changed',
      'BAD_SETTINGS/key':
        '{path}: unknown setting "{place}"[; did you mean "{meant}"?] → correct the key, or remove it',
      REPO_NOT_FOUND:
        '{folder} is not a git repository: {problem} → loadout init --repo <folder>, --clone <url> or --new <folder> chooses the library',
      'REPO_NOT_FOUND/library-folder':
        'the library {library} {problem} → loadout init --clone <url> or --repo <folder> names another',
      BAD_NAME: 'A name is not valid here. → Use lower-case letters, digits and hyphens.',
      'BAD_NAME/source':
        '{source} is a folder or URL, not the name of a skill → loadout add {word} installs the skills in it',
      'BAD_NAME/not-utf8': '{root}/{path} has a name that is not UTF-8 → rename the file',
      'BAD_NAME/pack-name':
        'this is not a valid name for a pack → use at most 64 lower case letters and digits, with hyphens inside',
      'BAD_NAME/no-pack-name':
        'the name of a pack cannot be derived from {path} → give it one: loadout packs new <name> --from {from}',
      'BAD_NAME/profile-name': '{name} cannot be a profile: {problem} → loadout profile list lists the profiles',
      'BAD_NAME/skill': '{name} cannot be a skill: {problem} → loadout list lists the skills',
      'BAD_NAME/plugin-name': '{name} cannot be a plugin: {problem} → name it with --name, such as --name team-kit',
      'BAD_NAME/archive':
        '{archive}: the path {path} is refused: {problem} → every entry must lie below the root of the archive, under a name that every system can read',
      SKILL_NOT_FOUND: 'The library has no such skill. → Run `loadout list` to list them.',
      'SKILL_NOT_FOUND/version': 'the catalog has no {wanted} of {name} → loadout catalog publish {name}',
      'SKILL_NOT_FOUND/catalog': 'the catalog has no {what} → loadout catalog search',
      'SKILL_NOT_FOUND/decision':
        'there is no decision about {name} → loadout packs list --all and loadout adapters list show names and decisions',
      'SKILL_NOT_FOUND/tag': 'no skill has the tag {tags} → loadout list --json lists the tags of every skill',
      'SKILL_NOT_FOUND/history': '{folder} is not in the history of the library → nothing was changed',
      'SKILL_NOT_FOUND/library': 'the library has no skill "{skill}" → loadout list',
      'SKILL_NOT_FOUND/merge': 'there is no open merge of {skill} → loadout merge lists them',
      'SKILL_NOT_FOUND/not-offered':
        'there is no skill {word} in it[; did you mean {close}?] → without a name, the command lists what is there',
      'SKILL_NOT_FOUND/not-usable':
        'the library has no skill "{name}"[; did you mean {close}?] → loadout list lists the skills',
      'SKILL_NOT_FOUND/committed': 'the library has no committed skill "{name}" → loadout list',
      'SKILL_NOT_FOUND/catalog-version':
        'the catalog has no such version of the {kind} {name}: {version} → run loadout catalog publish first',
      'SKILL_NOT_FOUND/not-trusted': '{name} is not trusted → loadout trust lists who is',
      'SKILL_NOT_FOUND/publisher':
        'no skill of the library comes from {name} → import them first: loadout import {source}; then read what they can do',
      'FILE_EXISTS/skill-again': 'the library has {folder} again already → nothing was changed',
      'FILE_EXISTS/proposal':
        'the proposal adds {name}, and the library has a skill of that name already → decline it, and ask for another name',
      'FILE_EXISTS/skill-path': '{path} already exists → loadout show {name} shows it',
      'FILE_EXISTS/skill-catalog':
        'the catalog already has another {name} {version} → publish it as another version: --version',
      SKILL_INSTALLED:
        'The skill is still installed, so it was not deleted. → Run `loadout remove --copies <skill>` first.',
      'SKILL_INSTALLED/still-installed':
        '{name} is still installed: {places} → loadout remove --copies {name} first; in a project with --project <folder>',
      'INVALID_SKILL/refused': '{whom} not {verb}, because {reason}{names}[ → {hint}]',
      INVALID_SKILL: 'A skill cannot be used. The message names the field. → Repair it in the library.',
      'INVALID_SKILL/openai': 'agents/openai.yaml{place} → correct that file',
      'INVALID_SKILL/import': '{path} cannot be imported: {problem} → {hint}',
      'INVALID_SKILL/unusable':
        '{folder} cannot be used: {problems} → repair it in the library; the other skills are not affected',
      NAME_DIFFERS: 'The name of a skill differs from the name of its folder. → Rename one of the two.',
      'NAME_DIFFERS/folder':
        'warning: {folder} is named "{name}" in its skill.json, unlike its folder → rename the folder: git mv {folder2} {skillsFolder}/{name}',
      'NAME_DIFFERS/other-names':
        "warning: {whose} cannot be used, so the folder's is: {pairs} → loadout import <source> --skill <name> --as <other> gives another",
      'NAME_DIFFERS/imported-as':
        'warning: {path} was imported as {name}, so its folder stays as it is → loadout install {name}, then remove the folder',
      'INVALID_SKILL/frontmatter':
        'the frontmatter would not be readable: {problem} → shorten the description or the metadata',
      'INVALID_SKILL/policy':
        'policy.allow_implicit_invocation must be true or false → write "policy": { "allow_implicit_invocation": false } under "codex" in skill.json',
      'INVALID_SKILL/was-none': '{folder} was not a skill: {problems}',
      'INVALID_SKILL/adopt': '{path} cannot be adopted: {reason} → repair it, then adopt',
      'INVALID_SKILL/merge': '{folder} cannot be merged: {problems} → repair it in the library',
      'INVALID_SKILL/merged': '{files} cannot be used: {reason} → repair it, then loadout merge {skill} --continue',
      'INVALID_SKILL/not-usable':
        '{name} cannot be used: {problems} → repair it in the library; loadout check checks it',
      'INVALID_SKILL/format': 'warning: {name}: {problem} → it is installed nevertheless; some agents cut or skip it',
      BAD_ARCHIVE: 'An archive cannot be unpacked. → Create it again with plain `tar`.',
      'BAD_ARCHIVE/material': '{path} is not an archive that can be read → pack it again as .zip or .tar.gz',
      'BAD_ARCHIVE/gzip': '{file} is not a .tar.gz archive → name a file that was packed with gzip',
      'BAD_ARCHIVE/damaged':
        '{file} is damaged: {detail} → get the file again: it may have been cut short or changed on its way',
      'BAD_ARCHIVE/collision': '{archive}: {path} {problem} → pack it again',
      'BAD_ARCHIVE/too-much': '{archive} contains more than {limit} → split it',
      'BAD_ARCHIVE/kind':
        '{subject} is of a kind that cannot be unpacked → pack it again with plain tar, without sparse files',
      'NOTHING_TO_DO/import-site':
        '{address} has neither an llms.txt nor a sitemap.xml that names pages of the same site → name the address of one; nothing was written',
      'NOTHING_TO_DO/import-documents':
        '{from} cannot become a pack: {why} → documents are files of the kind .md, .rst, .adoc, .txt, .pdf, .docx, .html or .csv; nothing was written',
      'NOTHING_TO_DO/import-folder':
        '{root} contains no skill{what} → a skill is a folder with a SKILL.md; all folders were searched',
      'NOTHING_TO_DO/import-local':
        '{path} is neither a folder nor a .tar.gz or .zip → name a folder, an archive, a git URL or owner/repo',
      'NOTHING_TO_DO/section': '{file} has no section worth moving: {why} → {hint}',
      MERGE_CONFLICT: 'Changes on both sides overlap. → Run `loadout merge <skill>`.',
      'MERGE_CONFLICT/copies':
        'copies of {name} were edited differently: {edited} → choose one: loadout adopt {name} --target {agent}',
      'MERGE_CONFLICT/no-base':
        "{path} {was} edited by hand, the library has changed since, and no commit of it has the version that was installed; the copy stays as it is → loadout diff {name}{scope} shows both; loadout adopt {name}{scope} --force takes the copy, loadout install {name}{scope} --replace the library's version, and keeps a copy of the other",
      'MERGE_CONFLICT/decision':
        '{skill} needs a decision: {problem}{more}. The library was not changed. → edit the files in {files}, then loadout merge {skill} --continue',
      'MERGE_CONFLICT/waits':
        'a merge of {name} waits for a decision → loadout merge {name} shows it; --continue or --abort ends it',
      'MERGE_CONFLICT/unresolved':
        '{name} still has conflicts: {message}{more} → edit {path}, or end all of them with one side: loadout merge {name} --take library|other --continue',
      'MERGE_CONFLICT/changed-since':
        "the library's {name} has changed since this merge began → loadout merge {name} --abort keeps a copy of your work; then run the command that began the merge again",
      'MERGE_CONFLICT/later':
        '{folder} has changed since {commit}; nothing was undone → undo the later change first, or merge by hand: git -C {library} revert {commit}',
      'MERGE_CONFLICT/undecided':
        '{name} was changed here, and the imported version is no longer known: nothing was merged → take one: loadout update {name} --take source (git keeps yours), or --take library',
      'MERGE_CONFLICT/proposal':
        'your edit of {name} and the library changed the same lines: {message} → loadout sync opens the merge; then propose again',
      'MERGE_CONFLICT/open': 'there is an open merge of {skill}: {state} → loadout merge {skill}',
      NO_SOURCE:
        'Loadout does not know where a skill came from, so it cannot update it. → Import it again from its source.',
      'NO_SOURCE/rewritten':
        'warning: {url} no longer has the commit that {names} came from: its history was rewritten, or another repository replaced it → look at it before you update: loadout update --dry-run shows what would change',
      'NO_SOURCE/not-imported':
        '{unknown} was not imported, so nothing updates it → loadout outdated lists the skills that have a source',
      'NO_SOURCE/unknown':
        '{names}: the library does not know where it came from → import it again from its source; only what loadout import brought in can be updated',
      'NO_SOURCE/removed':
        "warning: {source} no longer has {name}; the library's skill stays → loadout pin {name} stops asking; loadout delete {name} removes it here too",
      'LEFT_OUT/pinned-skill':
        'warning: {name} is pinned and was not updated → loadout unpin {name}, or name a version: --ref <branch, tag or commit>',
      QUARANTINED:
        'A skill of another author can act, or has frontmatter keys that are not known to be harmless, and you have not allowed it. It is not installed, or without these keys. → Read what it can do with `loadout show`, then run `loadout approve skill:<name>` or `deny`.',
      'QUARANTINED/denied': '{name} is denied on this machine → loadout revoke skill:{name} takes the denial back',
      'QUARANTINED/waits':
        '{name} is in quarantine until a person approves it → read it: loadout show {name}; then loadout approve skill:{name}, or deny skill:{name}',
      'QUARANTINED/skills':
        '{names} skills can act and were not installed, because you have not allowed it: {names2} → {hint}',
      'QUARANTINED/keys': 'warning: {name} is installed without {keys}, which you have not allowed → {hint}',
      'QUARANTINED/texts':
        'agents do not get {names} yet, because you have not agreed to the text → read {read}; to allow it: loadout approve {command} --project ., then loadout install',
      'QUARANTINED/text-denied':
        'info: the {what} {name} is denied on this machine → loadout revoke {what}:{name} takes the denial back',
      'QUARANTINED/imported': 'warning: {what} and will not be installed until you allow it{what2} → {hint}',
      'QUARANTINED/skill': '{name} can act and was not installed, because you have not allowed it: {what} → {hint}',
      'QUARANTINED/many-keys':
        'warning: {count} skills are installed without frontmatter keys ({keys}) that you have not allowed: {names} → {hint}',
      'ENTRY_NOT_FOUND/no-profile':
        'the library {library} does not say what a machine gets → loadout profile save <name> on a machine that has it; or loadout install --all',
      NOT_CONFIRMED: 'nothing was changed → use --yes to skip the question',
      'NOT_CONFIRMED/erase': 'nothing was erased → use --yes to skip the question',
    },
    'Agents and installs': {
      UNKNOWN_AGENT: 'No agent has this name. → Run `loadout agents`.',
      'UNKNOWN_AGENT/meant': 'there is no agent "{id}"[; did you mean {close}?] → loadout agents lists them',
      'UNKNOWN_AGENT/hooks':
        'Loadout has no hooks for "{agent}" → agents with hooks: {hookHosts}; others: loadout mcp, loadout agents-md',
      'UNKNOWN_AGENT/session':
        'Loadout cannot give skills of its own to a session of "{program}" → programs: {programs}',
      'UNKNOWN_AGENT/plugin':
        '{unknown} has no plugin format that Loadout supports → agents with plugins: {pluginForms}',
      UNSUPPORTED_TARGET: 'A skill does not list this agent. → Run `loadout targets <skill> --add <agent>`.',
      'UNSUPPORTED_TARGET/agent':
        '{name} does not support {whom} → it supports {targets}; loadout targets {name} --add {agents} changes that',
      'UNSUPPORTED_TARGET/plugin':
        'warning: the plugin for {agent} is without {which}, which {what} not support it → loadout targets {what2} --add {agent}',
      'UNSUPPORTED_TARGET/session':
        '{label} cannot take skills for one session: {names} would be missing → loadout install {names} --agent {agent}',
      'UNSUPPORTED_TARGET/disabled-agents':
        '{disabled} is not enabled on this machine → loadout agents enable {disabled2}',
      'UNSUPPORTED_TARGET/disabled-skill':
        'warning: {name} was not equipped for {disabled}: not enabled on this machine → loadout agents enable {disabled2}',
      'UNSUPPORTED_TARGET/copy':
        'warning: {path} stays as it is: the skill in the library does not support {agents} → loadout targets {name} --add {agent}, then run this command again',
      'UNSUPPORTED_TARGET/none-of': 'none of {skills} supports {agent} → loadout targets {names} --add {agent}',
      'UNSUPPORTED_TARGET/skills': '{whose} not support {agent}{which} → loadout targets {names} --add {agent}',
      'UNSUPPORTED_TARGET/no-longer':
        'warning: {place} is installed, but the skill no longer lists {agent}{edited} → loadout remove --copies {name} --target {agent}{where}',
      'UNSUPPORTED_TARGET/offered': 'info: {skills} → {hint}',
      NO_PROJECT: 'The command needs a project, and the folder is not in one. → Name it: `--project <folder>`.',
      'NO_PROJECT/patterns':
        'only patterns choose files in the preset {preset} → there is nothing to measure: history does not count here',
      'NO_PROJECT/no-history': '{root} has no git history → name a project in a git repository',
      'NO_PROJECT/no-commits':
        'none of the last {commits} commits can be asked → a commit is asked when its subject has four words or more and it changed one to five files, tests apart',
      'NO_PROJECT/project':
        '{place} is in no git repository, apart from your home folder → project scope needs one: git init',
      'NO_PROJECT/hook-project':
        '{place} is not in a git repository, apart from your home folder → name a place in a project; without --project the hooks are installed for you, everywhere',
      UNMANAGED_FOLDER:
        'Another folder of this name is in the way. Loadout did not create it and left it alone. → Take it over with `import --adopt`, or use `install --replace`.',
      'UNMANAGED_FOLDER/meanwhile':
        '{shown} {what} meanwhile; Loadout did not change it → run the command again to see what can be done',
      'UNMANAGED_FOLDER/created':
        'another program created {shown} meanwhile; Loadout did not change it → run the command again to see what can be done',
      'UNMANAGED_FOLDER/case':
        '{place} takes the place of {skill}, because this disk ignores case; Loadout did not change it → rename it, or move it out of {root}',
      'UNMANAGED_FOLDER/place': '{place} was not installed by loadout[ ({reason})]; it was left as it is → {hint}',
      'UNMANAGED_FOLDER/broken':
        '{place} cannot be judged: {reason} → loadout doctor --fix repairs the marker where the content allows it; otherwise move the folder away',
      'UNMANAGED_FOLDER/same-name':
        'info: {folders} the name of a skill of the library, and Loadout did not install {them}: {names} → loadout import lists them; loadout import --all --adopt makes them managed',
      'UNMANAGED_FOLDER/not-in-library':
        'info: the folders of the agents hold {skills} not in the library: {names} → loadout import lists them; loadout import --all --adopt makes them managed',
      EDITED_INSTALL:
        'An installed copy was edited by hand. → The copy stays. Run `loadout adopt <skill>` to bring the edit into the library.',
      'EDITED_INSTALL/meanwhile':
        '{shown} was edited meanwhile; it was left as it is → run the command again to see what can be done',
      'EDITED_INSTALL/kept':
        'warning: {found} was edited by hand; it stays, although the profile does not name it → loadout remove --copies {name} --target {agent}{found2} removes it, and keeps a copy',
      'EDITED_INSTALL/stays':
        'warning: {place} was edited by hand; it stays as it is → loadout adopt {name}{where} brings the edit into the library; loadout diff {name}{where} shows it',
      OUTDATED_INSTALL: 'An installed copy is older than the library. → Run `loadout sync`.',
      'OUTDATED_INSTALL/older': 'warning: {place} is older than the library → loadout sync refreshes it',
      'OUTDATED_INSTALL/gone':
        'warning: {place} is installed, but the library no longer has it{edited} → loadout remove --copies {name}{where} removes it; loadout import {word} brings it back',
      NOT_EQUIPPED:
        'The skill is not installed, or has no edited copy, where the command looked. → Run `loadout list`.',
      'NOT_EQUIPPED/not-changed':
        '{name} here is what the team has approved: there is nothing to propose → edit an installed copy, or the library, first',
      'NOT_EQUIPPED/not-edited':
        'no installed copy of {name} was edited → loadout list shows the state of every copy; --project <folder> looks in a project',
      'NOT_EQUIPPED/where': 'info: {name} is not equipped {what}',
      'UNMANAGED_FOLDER/manager-skills':
        'info: another manager placed {what} here: {names} → loadout import --project . lists them, and takes them over with --all --adopt',
      BACKED_UP: 'Before a change, a copy was kept. The message says where. → Nothing to do.',
      'BACKED_UP/uncommitted': 'info: {folder} had uncommitted changes; a copy is in {kept}',
      'BACKED_UP/link': 'info: {shown} was a link; what it led to stays in {kept}',
      'BACKED_UP/copy': 'info: {shown}: {what}a copy of what was there is in {kept}',
      'BACKED_UP/merge': 'info: the merge of {name} was abandoned; a copy is in {kept}',
      RECOVERED: 'An interrupted change was finished or undone. → Nothing to do.',
      'RECOVERED/library': 'info: {library}: an interrupted {message}',
      'RECOVERED/undone': 'info: {target}: an interrupted change was undone; the old version is back',
      'RECOVERED/finished': 'info: {target}: an interrupted change was finished',
      'RECOVERED/discarded': 'info: {target}: an unfinished change was discarded',
      'RECOVERED/interrupted': 'a command was interrupted; the next one repairs that → loadout doctor --fix',
      LOCKED: '{folder} is locked by {holder} → wait until it has finished; if it never will, remove {path}',
      'LOCKED/git':
        '{folder} is locked: {git} → wait until git has finished, or end it; the next command then finishes the interrupted change',
      'LOCKED/library':
        '{library} is locked: a change was interrupted, and its git is still running → wait until git has finished, or end it; the next command then finishes the interrupted change',
      'LOCKED/meanwhile': '{name} was changed by another command meanwhile → run the update again',
      'LOCKED/proposals': '{most} of your proposals wait for an answer → wait, or ask a maintainer',
      'LOCKED/catalog':
        'another approver has signed the catalog in the meantime → run the command again; it shows what the other one changed',
      NOT_SEEN: 'An agent cannot see everything that is installed for it. → Run `loadout see <agent>`.',
      'NOT_SEEN/full':
        'warning: the list of {label} is full: {crowded} of {skills} skills are not described whole → loadout see{which} --fix{scope} makes every skill usable',
      'NOT_SEEN/skill': '{name} is {fate}: {why}',
      'NOT_SEEN/file': '{path}: {why}',
      'NOT_SEEN/differs':
        '{label} sent {count} otherwise than loadout see says → the list above says how; see uses what was measured',
      'NOT_SEEN/session':
        'warning: {label} cannot be started without some of its skills: it lists {count} more than the profile has',
      'NOT_SEEN/no-client': '{label} cannot be run for this: Loadout knows how to give a model of its own to {agents}',
      'NOT_SEEN/no-program': '{label} was not found: {command} is not on the PATH',
      'NOT_SEEN/none':
        'no agent was found that can run a prompt by itself → install one, or ask without a model: --offline',
      'NOT_SEEN/no-result':
        '{agent} gave no result for {count} cases: {problem} → start it once yourself; it may ask for a login',
      'NOT_SEEN/closed':
        'the client was not started: this system cannot close a program off from network and files[: {said}] → it needs Linux with unshare, mount and ip, and user namespaces',
      'NOT_SEEN/hung':
        '{file} was stopped after {seconds} seconds without a request to its model[: {said}] → --seconds allows more',
      'NOT_SEEN/silent':
        '{file} ended without a request to its model[: {said}] → it may ask for a login: start it once yourself',
      'HOOKS_OFF/outdated-plugin': '{path} is an older form of the plugin → {command}',
      'HOOKS_OFF/outdated-edited': '{path} was changed by hand → delete it, then: {command}',
      'HOOKS_OFF/outdated-hooks': '{label} has {problems} → {command}',
      HOOKS_OFF: 'The agent will not run the hooks. The message says why. → Change the setting it names.',
      'HOOKS_OFF/stops': '{label} does not start while {path} is as it is: {refusal} → repair the file',
      'HOOKS_OFF/ignores': '{label} ignores the whole file {path}: {refusal} → repair the file',
      'HOOKS_OFF/obstacle': '{message} → {hint}',
      'HOOKS_OFF/gone': '{program}, which the hooks call, is gone → {command}',
      'HOOKS_OFF/path': 'loadout is not on the PATH → {hint}',
      'DRIFT/block': '{file}: {message} → loadout agents-md --write',
      'DRIFT/damaged-block':
        'line {line}: {what} → the block goes from {blockStart} to {blockEnd}; repair or delete it, nothing was written',
    },
    'The catalog of an organization': {
      CATALOG_HELD:
        'The catalog has no approved version of the skill for this machine. Installed copies stay as they are. → Run `loadout catalog search`.',
      'CATALOG_HELD/skill': '{name} cannot be installed: {why} → {hint}',
      'CATALOG_HELD/pack':
        'warning: the pack {name} in {root} is not used: {held} → loadout catalog search shows what is approved; loadout sync asks the catalog again',
      'CATALOG_HELD/refused':
        'the pack {name} is not used: {held} → loadout catalog search shows what is approved; loadout sync asks the catalog again',
      'CATALOG_HELD/why': '{held}',
      'CATALOG_HELD/none': 'the catalog approves no skill → loadout catalog search',
      'CATALOG_HELD/unlisted': 'the catalog does not list {unlisted} → loadout catalog search',
      CATALOG_UNVERIFIED:
        'The signed catalog is missing, expired or not validly signed, or does not continue what this machine verified. → An approver runs `loadout catalog sign`. Check `catalog/allowed_signers` in the library.',
      'CATALOG_UNVERIFIED/signer':
        '{file} is not among the allowed signers → add a line "<name> <public key>" to catalog/allowed_signers in the library, and commit it',
      'CATALOG_UNVERIFIED/ssh-keygen': 'ssh-keygen {step} failed',
      'CATALOG_UNVERIFIED/no-signers':
        'the library has no {signers} → write it, one line for each approver: <name> <public key>; then commit and push it',
      'CATALOG_UNVERIFIED/signature':
        'the signature of {key} is not valid for {by} → check the line of {by} in {signers}',
      'CATALOG_UNVERIFIED/fingerprint':
        'the server shows {shown}, not {fingerprint} → ask an approver for the fingerprint in loadout catalog search',
      'CATALOG_UNVERIFIED/proposal':
        'the proposal of {name} is not what its id says: nothing was taken → ask the people who proposed it to do so again',
      'CATALOG_UNVERIFIED/base':
        'the proposal changes {name} of commit {commit}, which the library here does not have → loadout sync',
      'CATALOG_UNVERIFIED/digest':
        '{name} {version} was not approved: the draft has the digest {digest}, and {found} → loadout {what}, then approve again; if the digests still differ, publish it under another version',
      'CATALOG_UNVERIFIED/expired':
        'warning: the team’s catalog expired on {expires} (today is {today} on this machine): newer decisions may be hidden → an approver runs: loadout catalog sign',
      'CATALOG_UNVERIFIED/unsigned':
        'warning: {problem}{counts} → an approver runs: loadout catalog sign (loadout sync fetches {signersFile})',
      'CATALOG_UNVERIFIED/problem':
        'warning: {problem}{counts} → ask who runs the team’s server; loadout catalog accept <fingerprint> begins again with what an approver tells you',
      'CATALOG_UNVERIFIED/unknown':
        '{problem} → if the fingerprint {fingerprint} is known to an approver: loadout catalog accept {fingerprint}; if not: loadout catalog sign --restore',
    },
    'The manifest of a project': {
      MANIFEST:
        '`loadout.json` asks for something that cannot be installed. → Correct the entry that the message names.',
      'MANIFEST/address':
        'loadout.json: {key} cannot be a source: {problem} → name owner/repo, owner/repo#tag, a git address, or ./folder of the project',
      'MANIFEST/none':
        '{project} has no loadout.json that names skills, packs or rules → loadout add <source> --project . writes one; to install skills of your library, name them',
      'MANIFEST/not-offered':
        '{key} has no {what} {word} → loadout import {key} --list shows its skills; packs and rules are named by their folder or file',
      'MANIFEST/not-routed':
        '{word} of {key} does not say when it is needed, so no task would get it → its frontmatter needs an id with keywords, or paths',
      'MANIFEST/only-texts': '{key} has no skills → name what you want of it: {texts}',
      'MANIFEST/ambiguous': '{name} is more than one thing in this project → name one of them: {kinds}',
      'MANIFEST/no-profile':
        'the profile {name} is in none of the sources of "skills": {keys} → name a source that has profiles/{name}.json',
      'MANIFEST/of-profile':
        '{name} belongs to the profile {profile} of loadout.json → take the profile out of loadout.json, or the skill out of the profile',
      'MANIFEST/unseen':
        'warning: no task gets {path}: "payloads" of loadout.json is {globs} → add ".claude/loadout/**/*.md" to it',
      'MANIFEST/changed':
        'other commands keep changing loadout.json or loadout.lock; nothing was written → run the command again',
      'MANIFEST/not-there':
        '{name} is not in the loadout.json of this project → loadout list --project . shows what is',
      'MANIFEST/managed':
        'the loadout.json of this project says which skills it has, so {names} was not installed from your library → loadout add <source> {names} --project . adds it; loadout install restores what the lock has',
      'MANIFEST/local':
        'warning: {path} has no remote, so only this machine can restore from it → push it somewhere, and add that address',
      'MANIFEST/empty': '{file} names no skill that Loadout can fetch: {losses} → add the sources one by one',
      'MANIFEST/not-said': 'info: {file} cannot say: {what} → loadout.lock keeps it',
      'MANIFEST/loss': 'warning: {file}: {what} → the rest was taken over',
      LOCK_INVALID: '`loadout.lock` cannot be used. → Restore it from git, or remove it and run `loadout install`.',
      'LOCK_INVALID/conflict':
        'loadout.lock has the conflict markers of an unfinished merge; nothing was installed → git checkout --ours loadout.lock (or --theirs), then loadout install',
      'LOCK_INVALID/form':
        'loadout.lock cannot be used: {problem}; nothing was installed → restore it from git, or remove it and run loadout install',
      'LOCK_INVALID/newer':
        'loadout.lock has version {version}, which a newer Loadout wrote; nothing was installed → update Loadout',
      'LOCK_INVALID/unsigned':
        'warning: loadout.lock has changed, and its signature does not fit any more → sign it again: loadout install --sign',
      'LOCK_INVALID/signed': 'info: loadout.lock is signed by {by} → nothing to do',
      'LOCK_INVALID/unknown-signer':
        'info: loadout.lock is signed, and this machine does not know whose signature counts → name them: --signers <file>, or git config gpg.ssh.allowedSignersFile <file>',
      'LOCK_INVALID/signature':
        'the signature of loadout.lock {problem}; nothing was installed → a signer in {signers} signs it: loadout install --sign',
      LOCK_MISMATCH:
        'Manifest, lock and installed folders disagree. → Run `loadout install`, and commit what it changes.',
      'LOCK_MISMATCH/unlocked':
        'loadout.json asks for the {what} {name} of {key}, and loadout.lock does not have it → loadout install, then commit loadout.lock',
      'LOCK_MISMATCH/extra':
        'loadout.lock has the {what} {name} of {key}, which loadout.json does not ask for → loadout install, then commit loadout.lock',
      'LOCK_MISMATCH/address':
        'loadout.lock has {name} from {locked}, and loadout.json asks for {key} → read both files; loadout update {name} --project . locks what loadout.json says',
      'LOCK_MISMATCH/needs':
        '{name} needs {needed}, which loadout.lock does not have → loadout update {name} --project .',
      'LOCK_MISMATCH/agents':
        'loadout.lock has {name} for {agents}, and loadout.json names other agents → loadout install, then commit loadout.lock',
      'LOCK_MISMATCH/missing': '{path} is missing → loadout install',
      'LOCK_MISMATCH/outdated': '{path} has another version than loadout.lock → loadout install',
      'LOCK_MISMATCH/edited':
        'warning: {path} was changed by hand → keep it, or loadout install --replace puts the locked version back and keeps a copy',
      'LOCK_MISMATCH/forged':
        '{path} differs from loadout.lock, although its marker says otherwise → look at what changed it; loadout install --replace puts the locked version back',
      'LOCK_MISMATCH/unlisted': '{path} is installed, and loadout.lock does not have it → loadout install',
      'LOCK_MISMATCH/left':
        'warning: {path} is no longer in loadout.lock, and was changed by hand, so it stays → remove it, or loadout install --replace does after a backup',
      'LOCK_MISMATCH/digest':
        '{name} of {source} is not what loadout.lock pins: the files of commit {commit} have another digest; nothing was installed → do not use this source before you know why; if the change is meant, loadout update {name} --project .',
      'LOCK_MISMATCH/gone':
        '{source} no longer has {name} at commit {commit}, and this machine has no copy; nothing was installed → ask a colleague for theirs, or loadout update {name} --project . takes the present version',
      'LOCK_MISMATCH/same-content':
        'warning: {source} no longer has commit {commit}; {name} was restored from commit {found}, whose files are the same → loadout update {name} --project . locks the new commit',
      'LOCK_MISMATCH/built':
        '{name}: this version of Loadout installs other files from the same source than loadout.lock says; nothing was installed → run loadout install without --frozen, and commit loadout.lock',
      'LOCK_MISMATCH/beyond':
        '{name} can do more than loadout.lock says was agreed to: {what}; nothing was installed → run loadout install on your machine, read what it can do, and commit loadout.lock',
      NEEDS: 'A skill needs another one that is missing, or two needs contradict. → Add it, or remove the skill.',
      'NEEDS/missing':
        '{name} needs the skill {needed}, which neither {key} nor another source has → add it: loadout add <source> {needed} --project .; or remove {name}',
      'NEEDS/library':
        '{name} needs the skill {needed}, which the library does not have → add it: loadout add <source> {needed}, or remove it from "requires" of {name}',
      'NEEDS/cycle': 'these skills need each other in a circle: {path} → remove one of these needs',
      'NEEDS/conflict':
        'two sources have a {what} {name}: {first} and {second} (asked for by {why}) → name what you want of one of them in loadout.json, without {name}',
      'NEEDS/versions':
        'two versions of one repository are asked for: {first} and {second} → agree on one in loadout.json',
      'NEEDS/range':
        'info: {name} wants {needed} {range}: Loadout pins tags and commits and does not compare versions → check that the locked version fits',
      'NEEDS/by': '{name} is needed by {by} → remove {by} too, or first',
    },
    Git: {
      GIT_MISSING: 'git could not be run: it is not on the PATH → install git, or add its folder to PATH',
      GIT_FAILED: 'A git command failed. The message has what git said. → Follow the hint.',
      'GIT_FAILED/start': 'git could not be started: {problem}',
      'GIT_FAILED/ignored':
        '{path} cannot be committed: git ignores it{rule} → change that rule, or turn the automatic commit off',
      'GIT_FAILED/nested':
        '{path} cannot be committed: it is a repository of its own → remove {repo} to keep its files here',
      'GIT_FAILED/not-found':
        '{url} was not found → check the address; a host may answer the same for a private repository',
      'GIT_FAILED/clone': '{url} could not be cloned: {reason}[ → {hint}]',
      'GIT_FAILED/login': '{url} asks for a login: it is private, or it does not exist[ → {hint}]',
      'GIT_FAILED/stopped': '{what} {problem} and was stopped → {hint}',
      'GIT_FAILED/command': 'git {command} failed in {folder}: {reason} → {hint}',
      GIT_UNSAFE: 'A repository setting or address would run a program. → Remove it with the command in the message.',
      'GIT_UNSAFE/url':
        '{url} cannot be cloned: it is neither a path nor a safe URL → use a path, or an https or ssh URL',
      'GIT_UNSAFE/option':
        'the name {name} in {repo} would be read as an option → give the branch or the remote another name',
      'GIT_UNSAFE/settings': '{problems} → if you do not need it, run: {commands}',
      'UNREACHABLE/folder':
        'warning: {path} is not on this machine, so {subject} could not be compared → loadout pin <skill> stops asking; the skill itself stays in your library',
      'UNREACHABLE/sync': '{remote} could not be reached: {failed} → {hint}; Loadout used the local library',
      'UNREACHABLE/known': '{remote} {failed} → {hint}; Loadout used the local library',
      'UNREACHABLE/source-ref':
        '{source} no longer has this branch, tag or commit → loadout update <skill> --ref <branch> follows another one',
      'UNREACHABLE/source-login':
        '{source} asks for a login: it is private now, or gone → if you may read it, set up an ssh key or a git credential helper; otherwise loadout pin <skill> stops asking',
      'UNREACHABLE/source-gone':
        '{source} is gone → if it moved, name its new address, in loadout.json of a project; loadout pin <skill> stops asking for a skill of your library',
      'UNREACHABLE/source': '{source} could not be reached: {reason} → check the connection, then try again',
      DIVERGED:
        'The library and its remote both have new commits. → Merge or rebase with git, then run `loadout sync`.',
      'DIVERGED/branch':
        '{branch} and {other} have diverged: {ahead} here, {behind} there → {repo} (or {repo2}), then sync again',
      UPSTREAM_MISSING: 'The branch of the library follows no remote branch. → Run the git command in the message.',
      'UPSTREAM_MISSING/detached':
        'the library is on no branch (detached HEAD), so nothing can be pulled or pushed → {hint}',
      'UPSTREAM_MISSING/gone': '{branch} follows {other}, which does not exist on {remote} → {hint}',
      'UPSTREAM_MISSING/several':
        '{branch} follows no remote branch, and there are several remotes: {remotes} → {hint}',
      'UPSTREAM_MISSING/none': '{branch} follows no branch of {remote} → {hint}',
      UNCOMMITTED: 'The library has changes that are not committed. → Commit them with git.',
      'UNCOMMITTED/pack':
        '{root} is neither in a git repository nor in a package → commit it to one: other machines get it from there',
      'UNCOMMITTED/pack-file': '{changed} {problem} → commit or remove it, then publish {name}',
      'UNCOMMITTED/commits':
        'info: {count} on {branch} {what} to be pushed to {remote} → loadout sync --push, or {command}',
      'UNCOMMITTED/files': 'warning: not committed in the library: {paths} → {repo} && {repo2}',
      'UNCOMMITTED/skill': '{changed} is not committed → commit it, then publish',
    },
  }) as const
