/** Troubles of knowledge packs. */
export const packsIssues = () =>
  ({
    Packs: {
      PACK_NOT_FOUND: 'There is no such pack. → Run `loadout packs list --all`.',
      'PACK_NOT_FOUND/decision':
        'there is no decision about {name} → loadout packs list --all and loadout adapters list show names and decisions',
      'PACK_NOT_FOUND/gone': 'the pack {name} is no longer in {root} → resolve the task again',
      'PACK_NOT_FOUND/meant':
        'there is no pack "{name}"{guess} → loadout packs list --all shows every pack that was found',
      'PACK_NOT_FOUND/known-folder':
        '{asked} is not the folder of a known pack → loadout packs list --all --json names every folder; --project <folder> looks in another workspace',
      'PACK_NOT_FOUND/path': '{path} is not a pack → name a folder with a KNOWLEDGE.md',
      'PACK_NOT_FOUND/folder': '{pack} is not the folder of a pack → name the folder with its KNOWLEDGE.md',
      'FILE_EXISTS/pack-existing': '{target} already exists → choose another name; nothing was written',
      'FILE_EXISTS/pack-import':
        '{target} already exists, and was not made from documents → choose another name; nothing was written',
      'FILE_EXISTS/pack-already': '{root} is a pack already → loadout check {root2}',
      PACK_REFUSED: 'A gate of the pack does not let it be used. → The message names the gate.',
      'PACK_REFUSED/scope': '{name} is a pack of the {scope} scope → compile it in the repository that it comes from',
      'PACK_REFUSED/inputs':
        'the answer is not for the present inputs of {name} → write the task again: loadout packs compile {name}; nothing was written',
      'PACK_REFUSED/answer': '{at}: {problem} → correct the answer and import it again; nothing was written',
      'PACK_REFUSED/checker':
        '{agent}, which checks statements, gave no verdict: {problem} → import the answer again, or remove packs.checker from config.json; nothing was written',
      'PACK_REFUSED/no-text':
        '{name} has no text to make views from → write documents, pages or sources into {root} first',
      'PACK_REFUSED/source-map': '{sourceMapPath} of {pack} cannot be read → repair or remove it; nothing was written',
      'PACK_REFUSED/by-hand':
        '{foreign} was written or changed by hand → move it first, for example to wiki/; nothing was written',
      'PACK_REFUSED/failed-run':
        '{path} of the pack {name} was made by a run that failed → ask for the pages or sources behind it',
      'PACK_REFUSED/more': '{more} wrong',
      'PACK_REFUSED/shut': '{message}',
      APPROVAL_NEEDED:
        'A pack, adapter or skill needs your approval first. → Run the `loadout approve` command in the message.',
      'APPROVAL_NEEDED/packs': '{all} would be approved → add --yes to approve them',
      'APPROVAL_NEEDED/pack': 'the pack {name} {why} → read {path} first; then {approve}',
      'APPROVAL_NEEDED/record': 'the pack {name} may not be used any more → loadout explain {word} says why',
      CONFIRMATION_NEEDED:
        'The command needs a yes, and there is no terminal to ask on. → Add the flag that the message names.',
      'CONFIRMATION_NEEDED/pack':
        'the pack {name} is {status}, so it is used only after a confirmation → loadout packs guide {folder} --confirm',
      'CONFIRMATION_NEEDED/remove':
        '{names} would be removed from {places} → {command} --yes does it; with --copies the library keeps what it has',
      'CONFIRMATION_NEEDED/leave':
        '{copies} installed copies would no longer be managed → loadout leave --dry-run shows it; loadout leave --yes does it',
      'CONFIRMATION_NEEDED/erase':
        'you must confirm first: erase {what} → to skip the question: loadout usage --erase --yes',
      'CONFIRMATION_NEEDED/edited': '{name} has changed since you opened it → read it again, then edit it',
      'CONFIRMATION_NEEDED/changed':
        'something has changed since this was planned → look at what would be done now, then agree to it',
      BAD_APPROVALS:
        'The file of your approvals was changed by hand or damaged, so nothing counts as approved. → Restore or remove the file.',
      'BAD_APPROVALS/unread': 'warning: {problem}; until it is repaired, nothing is approved[ → {hint}]',
      'BAD_APPROVALS/file': '{path} cannot be trusted: {problem} → repair it, or move it away and approve again',
      'BAD_APPROVALS/unreadable': '{problem} → repair it, or move it away and approve again',
      'NOT_RECORDED/context': 'warning: the context was delivered but could not be recorded: {problem}[ → {hint}]',
      'NOT_RECORDED/use': 'the use was not recorded: {problem} → {hint}',
      'ENTRY_NOT_FOUND/audit-not-found':
        'there is no record "{typed}" → loadout context and loadout packs resolve print the id of their record',
      'CONTEXT_CHANGED/record-changed':
        '{path} was changed after it was written → run the task again; you can remove the file',
      'CONTEXT_CHANGED/record-version':
        'another version of Loadout wrote {path}, and this one cannot read it → run the task again; you can remove the file',
      CONTEXT_CHANGED:
        'What was recorded would be another answer now, because its sources changed. → Ask for the same task again.',
      'CONTEXT_CHANGED/bundle':
        'the bundle would be different now: {changes} → build the bundle again: loadout context',
      'CONTEXT_CHANGED/pack': '{name} has changed since: {changed} → resolve it again: loadout packs resolve {task}',
      'CONTEXT_CHANGED/unused':
        'warning: {name} has changed in files that this context did not use: {changes} → loadout approve pack:{name}',
      'pack.status':
        'The status of the pack says that it is not ready, or it has none. → Confirm it with `--confirm <name>`, or review it and set a [status](packs.md#status).',
      'pack.status/unknown': 'the pack {name} has an unknown status → loadout explain {id}',
      'pack.status/unnamed': 'the pack {name} is archived, and is used only when it is named → loadout explain {id}',
      'pack.status/draft': 'warning: it is a draft',
      'pack.status/needs-review': 'warning: it has not been reviewed since it was last changed',
      'pack.status/stale': 'warning: it is out of date',
      'pack.status/disputed': 'warning: parts of it are disputed',
      'pack.status/archived': 'warning: it is archived and no longer maintained',
      'pack.status/none': 'it has no status and cannot be loaded',
      'pack.status/word': 'status {is}, not one of {words}; it cannot be loaded',
      'pack.substituted': 'A newer pack of the same name was used instead of a stale one. → Nothing to do.',
      'pack.substituted/newer': 'info: {name} of the {scope} is stale; the newer one of the {scope2} is used instead',
      'pack.field':
        'A field of the frontmatter or a record of the pack is missing or has the wrong form. → Correct it.',
      'pack.field/frontmatter': 'its frontmatter {problem}',
      'pack.field/no-head':
        'it does not start with a frontmatter between two lines of --- in its first {kilobytes} KB; to make it a pack, put ---, name: <its folder>, description: <what it knows> and --- on lines of their own at its top',
      'pack.field/no-description': 'it has no description, so it can never be chosen',
      'pack.field/name': 'warning: the name is {name}, but the folder is called {folder}',
      'pack.field/type-missing': 'it has no type',
      'pack.field/type': 'warning: the type {type} is not known; it is used only when named',
      'pack.field/no-profile': 'info: it names no profile and is read as wiki-first',
      'pack.field/date': 'warning: updated must be a date such as 2026-01-31, not {date}',
      'pack.field/maintainers': 'warning: only the first {most} maintainers are kept',
      'pack.field/maintainer': 'warning: maintainers must be a text or a list of texts',
      'pack.field/two-links': 'warning: metadata.wikiFrom is not used beside metadata.documentsFrom',
      'pack.field/text': 'warning: {key} must be a text',
      'pack.field/mapping': 'warning: {key} must contain keys and values',
      'pack.field/long': '{key} is longer than {most} characters',
      'pack.field/path': 'warning: {what} is not the path of a file',
      'pack.field/word': 'warning: {key} {is}, not one of {words}; it is read as {otherwise}',
      'pack.name.invalid':
        'The name is missing, too long, or has other characters than the format allows. → Correct it.',
      'pack.name.invalid/refused': 'the pack {name} is not used: its metadata is not valid → loadout check {folder}',
      'pack.name.invalid/none': 'it has no name; its folder is called {folder}',
      'pack.name.invalid/long': 'the name is longer than {most} characters',
      'pack.name.invalid/letters': 'the name {name} may contain only lower-case letters a to z, digits and hyphens',
      'pack.field/no-frontmatter': 'this page has no frontmatter',
      'pack.field/no-type': 'the frontmatter of this page has no type',
      'pack.trust':
        'The pack is not reviewed or not approved, or you denied it. → Run `loadout approve pack:<name>`, or review it and set `trust`.',
      'pack.trust/refused': 'the pack {name} was denied → {approve} takes the denial back',
      'pack.trust/denied': 'it was denied and is not read',
      'pack.trust/unapproved': 'it is not approved yet; only its metadata is shown',
      'pack.trust/changed': 'it must be approved again: {changes}',
      'pack.trust/kept': 'warning: it is given as it was approved; these changes wait for approval: {changes}',
      'pack.trust/unreviewed': 'warning: it does not say that anybody has reviewed it',
      'pack.trust/external': 'warning: it says that it comes from outside',
      'pack.trust/denied-again': 'info: the pack {name} is already denied',
      'pack.trust/by-place-pack': 'info: the pack {name} is already trusted: it is in a folder of {owners}',
      'pack.trust/cases':
        'info: {name} is not approved: cases are shown by number, and warnings were not checked → loadout approve {root}',
      'pack.incomplete': 'The pack lacks something that its kind needs. → Add what the message names.',
      'pack.incomplete/template': 'it still has the placeholder text of a new pack[ (and {others})]',
      'pack.incomplete/proposed': 'a program proposed the description: correct it, then remove "proposed"',
      'pack.incomplete/no-text': 'warning: the pack has no text that could answer a question',
      'pack.incomplete/no-map': 'warning: there is no context map: the compiled views come first instead',
      'pack.incomplete/map-paths': 'warning: the context map names {what}',
      'pack.incomplete/no-document': 'warning: it keeps its facts in documents, but the document is missing',
      'pack.incomplete/no-limits': 'warning: it is a persona without limits on what it says',
      'discovery.skipped/unread-outside':
        'warning: it is outside the folders of a pack and is never read[ (and {others})] → move it into one, or remove it',
      'discovery.skipped/not-text': 'warning: it is not a text file that Loadout reads[ (and {others})]',
      'discovery.skipped/source': 'info: it is a source that no statement names, so it is never read[ (and {others})]',
      'catalog.collision': 'Several packs have the same name. → Choose one with `--pack <folder>`.',
      'catalog.collision/waiting-pack':
        'warning: {name} of the {scope} would replace another pack of this name, but is not approved → loadout approve {root}',
      'catalog.collision/several':
        'warning: {shadowed} packs are named {name}: Loadout uses {scope} before {losers}{doubt} → loadout explain {word} says more; name a pack by its path to use another',
      'discovery.skipped': 'Folders or files were skipped: they are never read. → Move or link what should be read.',
      'discovery.skipped/scripts': 'warning: scripts are not part of a pack and are never run',
      'discovery.skipped/pack-size': 'warning: the pack is too large: not every file was checked',
      'discovery.skipped/only-last':
        'warning: {pattern}: of {files} files only the last {most} by name were compared → name fewer files',
      'discovery.skipped/more-places': 'warning: {unreported} more places could not be read',
      'discovery.skipped/no-access': 'warning: {path} cannot be read ({reason}) → check its permissions',
      'discovery.skipped/outside':
        'warning: {path} is a link out of the project and was skipped → set "followLinks": true under "packs" in the configuration to allow it',
      'discovery.skipped/more-warnings': 'there are more warnings of this kind',
      'discovery.skipped/payload-folders':
        'there are more than {mostFolders} folders with payloads; the rest was skipped → begin each glob with a folder',
      'discovery.skipped/many-files':
        'warning: {shown}: more than {most} files match; the rest was skipped → name fewer files',
      'discovery.skipped/many-folders':
        'warning: {shown}: more than {most} folders would have to be searched; the rest was skipped → begin the pattern with a folder',
      'discovery.skipped/folder': 'warning: {shown}: the folder cannot be read ({reason}) → check its permissions',
      'discovery.skipped/not-utf8':
        'warning: {shown}: it contains names that are not UTF-8; they were skipped → rename them',
      'discovery.skipped/pack-files': 'warning: it contains more files than Loadout reads',
      'discovery.skipped/organization': 'warning: packs of the organization: {subject} {problem} → {hint}',
      'discovery.skipped/directories':
        'warning: {root} has more than {most} folders; {count} or more were skipped → to include them, raise "maxDirectories" under "packs" in the configuration',
      'discovery.skipped/unreadable-folders': 'warning: {count} more folders below {root} cannot be read',
      'discovery.skipped/not-pack-file': 'warning: not a {file} that can be read: {named}',
      'discovery.skipped/links-out':
        'warning: links out of {root} were not followed: {named} → set "followLinks": true under "packs" in the configuration to allow it',
      'discovery.skipped/broken-links': 'info: broken links in {root}: {named}',
      'discovery.skipped/too-deep':
        'info: folders more than {most} levels below {root} were skipped, in: {named} → to include them, raise "maxDepth" under "packs" in the configuration',
      'discovery.skipped/names': 'info: skipped because of their names: {named}',
      'discovery.skipped/map': 'warning: the context map has more than {most} paths',
      'claim.doubtful':
        'A claim has no source, or is out of date, missing or not reviewed. → Add a source, or review it.',
      'claim.doubtful/ontology': 'warning: the ontology is {state}, not reviewed',
      'claim.doubtful/no-fact': 'warning: the claim "{id}" is not a fact: {reason}',
      'claim.doubtful/answer': 'warning: the answer "{id}" is not used as an answer: {reason}',
      'claim.doubtful/old': 'warning: {old}',
      'claim.doubtful/claims': 'the {claims}',
      'claim.doubtful/misleading': 'warning: {place} was left out: {agent} says that it misleads by itself: {text}',
      'claim.doubtful/reworded': 'warning: this view does not repeat its source word for word: the page comes first',
      'claim.disputed': 'A claim is disputed. → Verify it before you rely on it.',
      'claim.disputed/claims': 'warning: the {claims}',
      'claim.disputed/numbers': 'warning: it says {said}, but {there} says {other}',
      'source.absent': 'A statement names a file that is missing. → Add the file, or correct the path.',
      'source.absent/named': 'warning: it names the missing file {name}',
      'source.absent/file': '{what} names a missing file',
      'source.absent/anchor': '{what} names {kind} that the file does not have',
      'source.absent/only-copy':
        'warning: it has the only copy of its facts; keep them in wiki/, documents/ or sources/',
      'source.absent/linked': 'metadata.{layer}From is not read: it names a missing folder',
      'source.absent/place': 'warning: the place {anchor} does not exist in it',
      'source.absent/source': 'warning: a statement names this file as its source, but the file is missing',
      'pack.run':
        'The run that made a view failed, is out of date or needs review. → Review the view, or run `loadout packs compile` again.',
      'pack.run/last': 'the last run for some files is {status}',
      'pack.run/note': 'the compiler left a note in diagnostics[{at}]',
      'pack.run/input': 'warning: {place} {what}',
      'pack.run/diagnostic-compiler': 'compiler: {message}',
      'pack.run/input-missing': 'warning: a compile run used it, but it is missing now',
      'pack.run/input-changed': 'warning: it has changed since it was compiled',
      'pack.run/asks-review': 'warning: the compile run of this view asks for a review',
      'pack.run/view-failed':
        'warning: {view} is not used: its compile run did not finish → loadout packs compile {name}',
      'pack.run/view-stale': 'warning: {view} is stale: {why} → loadout packs compile {name}',
      'pack.run/latest': 'info: only the latest {mostRuns} of {names} compile runs were read',
      'pack.run/view': 'this view {runWords}',
      'claim.doubtful/uncited-lines': 'warning: {what} no source: line {lines}',
      'source.absent/dangling-files': 'info: it names missing files',
      'LEFT_OUT/record': 'warning: a record did not fit',
      'LEFT_OUT/claims': 'warning: left out {more} more claims of the same concepts',
      'LEFT_OUT/parts': 'warning: parts of {what} were left out to stay within the budget',
      'LEFT_OUT/tokens': 'warning: left out to stay within the budget: about {tokens} tokens',
      'content.injection': 'A text reads like an order to a model. → Check the file.',
      'content.injection/found': 'the text reads like an order to a model ({kind})',
      'content.injection/kept':
        'warning: the text reads like an order to a model ({kind}); it is data, and was not changed',
      'content.secret': 'Text that looks like a secret was withheld. → Remove the secret, or declare it an example.',
      'content.secret/found':
        'it contains what looks like a secret ({kind}); for an example: loadout packs example <pack> <file>:<line>',
      'content.secret/excerpt': 'an excerpt was withheld: it contains what looks like a secret',
      'content.secret/withheld': 'text was withheld: it looks like a secret ({kind})',
      'ontology.forbidden': 'The claim must not be made. It is given only as a prohibition. → Nothing to do.',
      'ontology.forbidden/claims': 'it contains forbidden claims; they are given as prohibitions only',
      'ontology.forbidden/answer': 'warning: the answer "{id}" is not used as an answer: {reason}',
      'pack.field/record': 'warning: {problem}',
    },
  }) as const
