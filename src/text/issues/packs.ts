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
      'FILE_EXISTS/pack': 'The folder for a new pack already exists. → Choose another name.',
      'FILE_EXISTS/pack-existing': '{target} already exists → choose another name; nothing was written',
      'FILE_EXISTS/pack-import':
        '{target} already exists, and was not made from documents → choose another name; nothing was written',
      'FILE_EXISTS/pack-already': '{root} is a pack already → loadout check {root2}',
      PACK_REFUSED: 'A gate of the pack does not let it be used. → The message names the gate.',
      'PACK_REFUSED/compile-refused':
        'The views that an agent wrote were not accepted. Nothing was written. → Correct the answer as the message says.',
      'PACK_REFUSED/scope': '{name} is a pack of the {scope} scope → compile it in the repository that it comes from',
      'PACK_REFUSED/inputs':
        'the answer is not for the present inputs of {name} → write the task again: loadout packs compile {name}; nothing was written',
      'PACK_REFUSED/answer': '{at}: {problem} → correct the answer and import it again; nothing was written',
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
      'APPROVAL_NEEDED/record': 'the pack {name} may not be used any more → loadout explain {word} says why',
      CONFIRMATION_NEEDED:
        'The command needs a yes, and there is no terminal to ask on. → Add the flag that the message names.',
      'CONFIRMATION_NEEDED/remove':
        '{names} would be removed from {places} → {command} --yes does it; with --copies the library keeps what it has',
      'CONFIRMATION_NEEDED/erase':
        'you must confirm first: erase {what} → to skip the question: loadout usage --erase --yes',
      'CONFIRMATION_NEEDED/changed':
        'something has changed since this was planned → look at what would be done now, then agree to it',
      BAD_APPROVALS:
        'The file of your approvals was changed by hand or damaged, so nothing counts as approved. → Restore or remove the file.',
      'BAD_APPROVALS/file': '{path} cannot be trusted: {problem} → repair it, or move it away and approve again',
      'BAD_APPROVALS/unreadable': '{problem} → repair it, or move it away and approve again',
      'NOT_RECORDED/audit-not-recorded':
        'The record of a bundle or pack could not be written. → Check the state folder.',
      'NOT_RECORDED/context': 'warning: the context was delivered but could not be recorded: {problem}[ → {hint}]',
      'NOT_RECORDED/use': 'the use was not recorded: {problem} → {hint}',
      'ENTRY_NOT_FOUND/audit-not-found':
        'there is no record "{typed}" → loadout context and loadout packs resolve print the id of their record',
      'CONTEXT_CHANGED/record':
        'A record was changed after it was written, or another version of Loadout wrote it. → Ask for the same task again.',
      'CONTEXT_CHANGED/record-changed':
        '{path} was changed after it was written → run the task again; you can remove the file',
      'CONTEXT_CHANGED/record-version':
        'another version of Loadout wrote {path}, and this one cannot read it → run the task again; you can remove the file',
      CONTEXT_CHANGED:
        'What was recorded can no longer be given again, because its sources changed. → Ask for the same task again.',
      'CONTEXT_CHANGED/bundle':
        'the bundle would be different now: {changes} → build the bundle again: loadout context',
      'CONTEXT_CHANGED/pack': '{name} has changed since: {changed} → resolve it again: loadout packs resolve {task}',
      'CONTEXT_CHANGED/unused':
        'warning: {name} has changed in files that this context did not use: {changes} → loadout approve pack:{name}',
      'pack.status':
        'The status of the pack says that it is not ready, or it has none. → Confirm it with `--confirm <name>`, or review it and set a [status](packs.md#status).',
      'pack.status/draft': 'The pack is a draft. → Confirm it: `--confirm <name>`.',
      'pack.status/needs-review':
        'The pack was not reviewed after its last change. → Review it, then set `status: ready`.',
      'pack.status/stale': 'The pack is out of date. → Update it.',
      'pack.status/disputed':
        'Parts of the pack are disputed. → Settle the dispute, or confirm it with `--confirm <name>`.',
      'pack.status/archived': 'The pack is no longer maintained. → Use another one.',
      'pack.status/unknown': 'The status is missing or not one of the six. → Set a [status](packs.md#status).',
      'pack.substituted': 'A newer pack of the same name was used instead of a stale one. → Nothing to do.',
      'pack.substituted/newer': 'info: {name} of the {scope} is stale; the newer one of the {scope2} is used instead',
      'pack.field': 'A field of the frontmatter is missing or has the wrong form. → Correct it.',
      'pack.field/name-mismatch': 'The name of the pack differs from its folder. → Rename one of the two.',
      'pack.name.invalid':
        'The name is missing, too long, or has other characters than the format allows. → Correct it.',
      'pack.field/description-missing': 'Without a description nothing can choose the pack. → Write one.',
      'pack.field/invalid': 'A field of the frontmatter has the wrong form. → Correct it.',
      'pack.field/too-long': 'A field of the frontmatter was cut. → Shorten it.',
      'pack.field/frontmatter-invalid': 'The frontmatter cannot be parsed. → Repair the YAML.',
      'pack.field/type-unknown':
        'The type is unknown, so the pack is used only when it is named. → Use a known type, or `custom:<name>`.',
      'pack.field/profile-missing': 'The pack has no profile. Loadout uses `wiki-first`. → Set `profile`.',
      'pack.field/profile-unknown': 'The profile is unknown. Loadout uses `wiki-first`. → Correct `profile`.',
      'pack.field/mode-unknown': 'The mode is unknown. Loadout uses `data`. → Correct `runtime.mode`.',
      'pack.field/unknown': 'The grounding is unknown. Loadout uses `required`. → Correct `grounding`.',
      'pack.field/trust-unknown': 'The trust is unknown. Loadout uses `unreviewed`. → Correct `trust`.',
      'pack.field/no-frontmatter': 'this page has no frontmatter',
      'pack.field/no-type': 'the frontmatter of this page has no type',
      'pack.trust':
        'The pack is not reviewed or not approved, or you denied it. → Run `loadout approve pack:<name>`, or review it and set `trust`.',
      'pack.trust/unreviewed': 'The pack does not say that it was reviewed. → Review it, then set `trust`.',
      'pack.trust/external': 'The pack says that it comes from outside. → Treat it with care.',
      'pack.trust/unapproved': 'You have not approved the pack. → Run `loadout approve pack:<name>`.',
      'pack.trust/changed': 'The pack changed after you approved it. → Look at the change, then approve it again.',
      'pack.trust/denied': 'You denied the pack. → Run `loadout revoke pack:<name>` to be asked again.',
      'pack.trust/denied-again': 'info: the pack {name} is already denied',
      'pack.trust/by-place': 'The pack lies in a trusted place, so there is nothing to approve. → Nothing to do.',
      'pack.trust/by-place-pack': 'info: the pack {name} is already trusted: it is in a folder of {owners}',
      'pack.trust/cases':
        'info: {name} is not approved: cases are shown by number, and warnings were not checked → loadout approve {root}',
      'pack.incomplete': 'The pack lacks something that its kind needs. → Add what the message names.',
      'pack.incomplete/documents-missing':
        'A document-first pack has no document. → Add it, or name it in `metadata.primaryDocument`.',
      'pack.incomplete/persona-unbounded': 'A persona has no limits. → Add `compiled/boundaries.md`.',
      'pack.incomplete/map-missing': 'A hybrid pack has no context map. → Add one.',
      'pack.incomplete/map-absent': 'The context map names something that is missing. → Correct the map.',
      'pack.incomplete/no-map': 'warning: there is no context map: the compiled views come first instead',
      'pack.incomplete/map-paths': 'warning: the context map names {what}',
      'pack.incomplete/no-document': 'warning: it keeps its facts in documents, but the document is missing',
      'pack.incomplete/no-limits': 'warning: it is a persona without limits on what it says',
      'pack.unread': 'Files of the pack are never read or can never be chosen. → Move, remove or link them.',
      'pack.unread/file-unused': 'Files lie outside the folders of a pack and are never read. → Move or remove them.',
      'pack.unread/page-unreachable': 'A file can never be chosen. → Make it text, or link it.',
      'pack.incomplete/placeholder': 'Text of the template is still in the pack. → Replace it.',
      'pack.incomplete/empty': 'The pack contains no text that could answer anything. → Add documents, pages or views.',
      'catalog.collision': 'Several packs have the same name. → Choose one with `--pack <folder>`.',
      'catalog.collision/lower-trust':
        'The pack that wins a name claims less trust than another of that name. → Check which one you want.',
      'catalog.collision/waiting': 'A pack would win its name if it were approved. → Approve or deny it.',
      'catalog.collision/waiting-pack':
        'warning: {name} of the {scope} would replace another pack of this name, but is not approved → loadout approve {root}',
      'catalog.collision/several':
        'warning: {shadowed} packs are named {name}: Loadout uses {scope} before {losers}{doubt} → loadout explain {word} says more; name a pack by its path to use another',
      'discovery.skipped': 'Folders were skipped. → Nothing to do.',
      'discovery.skipped/depth': 'Folders below `maxDepth` were not searched. → Raise `maxDepth` if packs are missing.',
      'discovery.skipped/limit':
        'There is more than the limits allow to search. → Raise the limit that the message names.',
      'discovery.skipped/unreadable': 'A folder cannot be read. → Check its permissions.',
      'discovery.skipped/link': 'A link leads out of its root, or nowhere. → Remove it, or set `followLinks`.',
      'discovery.skipped/not-a-file': '`KNOWLEDGE.md` is not a regular file. → Replace it with a file.',
      'discovery.skipped/source': 'Packs of the organization are missing. → Run `loadout packs fetch`.',
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
      'claim.doubtful/stale': 'A claim in a chosen file is out of date, or a page calls itself old. → Update it.',
      'claim.doubtful/old': 'warning: {old}',
      'claim.doubtful/claims': 'the {claims}',
      'claim.disputed': 'A claim is disputed. → Verify it before you rely on it.',
      'claim.disputed/claims': 'warning: the {claims}',
      'claim.doubtful/missing': 'A fact is known to be missing. → Add it, or ask a person.',
      'claim.doubtful/inferred': 'No source states the claim. → Add a source.',
      'claim.doubtful/required': 'The claim still needs a source. → Add a source.',
      'source.absent': 'A statement names a file that is missing. → Add the file, or correct the path.',
      'source.absent/anchor': 'The place that a statement names is not in its file. → Correct the anchor.',
      'source.absent/linked': 'metadata.{layer}From is not read: it names a missing folder',
      'source.absent/place': 'warning: the place {anchor} does not exist in it',
      'source.absent/source': 'warning: a statement names this file as its source, but the file is missing',
      'pack.run':
        'The run that made a view failed, is out of date or needs review. → Review the view, or run `loadout packs compile` again.',
      'pack.run/needs-review': 'The run that made a view needs review. → Review the view.',
      'pack.run/stale': 'The run that made a view is out of date. → Run `loadout packs compile` again.',
      'pack.run/disputed': 'The run that made a view is disputed. → Check the view.',
      'pack.run/failed':
        'The run that made a view failed, so the view is not used. → Run `loadout packs compile` again.',
      'pack.run/review-required': 'The run passed and asks for a review. → Review the view.',
      'pack.run/diagnostic': 'The run recorded a message. → Read the message.',
      'pack.run/diagnostic-compiler': 'compiler: {message}',
      'pack.run/input-drift': 'An input changed after the run. → Run `loadout packs compile` again.',
      'pack.run/input-gone': 'An input of the run is missing. → Run `loadout packs compile` again.',
      'pack.run/input-missing': 'warning: a compile run used it, but it is missing now',
      'pack.run/input-changed': 'warning: it has changed since it was compiled',
      'pack.run/asks-review': 'warning: the compile run of this view asks for a review',
      'pack.run/view-failed':
        'warning: {view} is not used: its compile run did not finish → loadout packs compile {name}',
      'pack.run/view-stale': 'warning: {view} is stale: {why} → loadout packs compile {name}',
      'record.invalid/run': 'The record of a run cannot be used. → Repair the record, or remove it.',
      'pack.run/not-read': 'Older runs were not read. → Nothing to do.',
      'pack.run/latest': 'info: only the latest {mostRuns} of {names} compile runs were read',
      'pack.run/view': 'this view {runWords}',
      'record.invalid/map-invalid':
        'The source map, or a claim in it, cannot be used. → Repair the record, or remove it.',
      'claim.doubtful/uncited': 'Statements name no source, although the pack requires one. → Add sources.',
      'claim.doubtful/uncited-lines': 'warning: {what} no source: line {lines}',
      'source.absent/dangling': 'An index points to files that are missing. → Make the index again.',
      'source.absent/dangling-files': 'info: it names missing files',
      'record.invalid/index': 'An index cannot be used. → Make the index again.',
      'context.omitted': 'Text was left out to stay within the budget. → Raise the budget if you need it.',
      'context.omitted/parts': 'warning: parts of {what} were left out to stay within the budget',
      'context.omitted/tokens': 'warning: left out to stay within the budget: about {tokens} tokens',
      'content.injection': 'A text reads like an order to a model. → Check the file.',
      'content.injection/kept':
        'warning: the text reads like an order to a model ({kind}); it is data, and was not changed',
      'content.secret': 'Text that looks like a secret was withheld. → Remove the secret, or declare it an example.',
      'content.secret/excerpt': 'an excerpt was withheld: it contains what looks like a secret',
      'content.secret/withheld': 'text was withheld: it looks like a secret ({kind})',
      'record.invalid/ontology-invalid': 'Records of the ontology cannot be used. → Repair the record, or remove it.',
      'claim.doubtful/ontology-unverified': 'A concept or claim is not verified. → Verify it.',
      'ontology.forbidden': 'The claim must not be made. It is given only as a prohibition. → Nothing to do.',
      'record.invalid/answers-invalid': 'Records of answers cannot be used. → Repair the record, or remove it.',
      'claim.doubtful/answers-unreviewed': 'An answer was not approved by a reviewer. → Review it.',
      'record.invalid': 'A test suite or another record has the wrong form. → Repair the record, or remove it.',
      'record.invalid/problem': 'warning: {problem}',
    },
  }) as const
