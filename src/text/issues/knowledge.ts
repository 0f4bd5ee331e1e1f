/** Troubles of entries, texts, usage, bundles and notes. */
export const knowledgeIssues = () =>
  ({
    'Index files': {
      INVALID_INDEX: 'The file is valid JSON but not an index. → Run `loadout rules build`.',
      MISSING_VERSION: 'The index has no version → set "version": "1.0.0"',
      'INVALID_INDEX/object': 'An index must be an object, but this is {kind}',
      'INVALID_INDEX/version': '{version} is not a version of an index → set "version": "1.0.0"',
      MISSING_GENERATED: 'warning: The index does not say when it was generated',
      INVALID_ENTRIES: '"entries" must be a list, but is {kind}',
      'INVALID_INDEX/entry-object': 'Entry {position} must be an object, but is {kind}',
      'INVALID_INDEX/unusable': 'Entry "{id}" cannot be used: {problem}',
      MISSING_ID: 'Entry {position} has no id → give it a unique id in kebab-case',
      BAD_ID_FORMAT: 'warning: The id "{id}" is not in kebab-case',
      DUPLICATE_ID: 'the id "{id}" is used by {first} and by {second} → give one of them another id',
      'DUPLICATE_ID/twice': 'The id "{id}" occurs more than once',
      'DUPLICATE_ID/index': 'the index contains "{id}" twice → run: loadout rules build',
      'DUPLICATE_ID/also-named': 'info: "{id}" is also a {others}; this is the payload → say which: {others2}',
      'DUPLICATE_ID/documents': 'documents share the id {ids} → give each an id of its own',
      MISSING_PATH: 'Entry "{id}" has no path → name its file, relative to the root of the layer',
      INVALID_PRIORITY: 'The priority is not `core`, `domain` or `manual`. Loadout uses `domain`. → Correct it.',
      'INVALID_PRIORITY/unknown': 'Entry "{id}" has the unknown priority {priority} → {hint}',
      'INVALID_PRIORITY/entry': 'warning: entry {id} is treated as domain: its priority is {priority} → {hint}',
      MISSING_SUMMARY: 'Entry "{id}" has no summary',
      LONG_SUMMARY: 'warning: The summary of "{id}" has {length} characters, more than {most}',
      EMPTY_KEYWORDS: 'Domain entry "{id}" has no keywords, so no task can find it → add keywords',
      'EMPTY_KEYWORDS/one': 'Entry "{id}" has an empty keyword → remove it',
      WEAK_KEYWORDS:
        'A keyword or pattern of an entry can never match, or does not tell it from the others. → Change the keywords as the message says.',
      'WEAK_KEYWORDS/duplicate-keyword':
        'warning: {id} has the same keyword more than once: {keywords} → keep one spelling: case, blanks and hyphens make no difference',
      BAD_TOKEN_EST: 'warning: Entry "{id}" has the token estimate {tokens}',
      'INVALID_INDEX/bad-field':
        'warning: entry {id} is used without its {fields}: missing or of the wrong type → rebuild the index with: loadout rules build',
      'INVALID_INDEX/entry':
        'entry {position}[ ({id})] was skipped: {problem} → rebuild the index with: loadout rules build',
      'INVALID_INDEX/profile':
        '{folder}/{file} must have a list of agents for each skill → repair it, or save the profile again',
      BAD_BUDGET: '"budget" must be an object, but is {kind} → rebuild the index with: loadout rules build',
      'BAD_BUDGET/field':
        'The budget field {field} is {value}, not a number → rebuild the index with: loadout rules build',
      NEGATIVE_BUDGET: 'warning: The budget field {field} is negative',
      LAYER_UNREADABLE:
        'The index of a layer cannot be read. The other layers are used. → Check its path and permissions.',
      'LAYER_UNREADABLE/layer': 'the {name} layer is not used: {problem} → {hint}',
      NO_INDEX: 'no index was found in any layer → run: loadout rules build, or name an index file with --index',
      'NO_INDEX/nor-library':
        'no index was found in any layer, and no library is set up → run: loadout rules build, or name what to validate',
      'NO_INDEX/file': '{indexPath} does not exist → run: loadout rules build',
      'NO_INDEX/nothing':
        'this project contains nothing that an agent can load → run: loadout rules build; --all also lists your own entries',
      'NO_INDEX/because': 'no index was found in any layer{what} → run: loadout rules build, or name an index file',
      'NO_INDEX/untestable': 'nothing in {path} can be tested[: {trouble}] → {hint}',
      'NO_INDEX/nothing-to-test': 'there is nothing to test: {why} → {hint}',
    },
    Payloads: {
      NO_PAYLOADS:
        'no payload was found in {root}: looked for {globs} → write one, split a large file with: loadout index migrate CLAUDE.md, or set "payloads" in loadout.json',
      'NO_PAYLOADS/folder': '{path} contains no payload → payloads are Markdown files (.md)',
      NO_FRONTMATTER:
        'warning: {path} is not in the index: {why} → start the file with a block between two --- lines that has at least "id:" and "keywords: [..]"',
      BAD_FRONTMATTER: 'The frontmatter of a file cannot be parsed. → Repair the YAML between the two `---` lines.',
      'BAD_FRONTMATTER/value': 'warning: {path}: {problem}',
      'BAD_FRONTMATTER/document':
        'warning: {folder}/{documentFile}, {problem}; its first lines count as text → repair the YAML between the two ---',
      PAYLOAD_MISSING: 'The index lists an entry whose file is gone. → Run `loadout rules build`.',
      'PAYLOAD_MISSING/entry': '{id} is in the index, but no payload has that id ({path}) → run: loadout rules build',
      'PAYLOAD_MISSING/all':
        'every payload of the index is missing: none of them is in {root} → put the index at the root of its payloads, or restore them',
      'DRIFT/payload-orphan': '{path} ({id}) is not in the index → run: loadout rules build',
      'DRIFT/field': '{field} of {id}: the index says {said}, the payload {is} → run: loadout rules build',
      'FILE_UNREADABLE/not-loaded': '{id} was not loaded: {problem}[ → {hint}]',
      'FILE_UNREADABLE/more-entries':
        'warning: {more} more entries are ranked without their texts → loadout rules check lists them all',
      'FILE_UNREADABLE/unranked-entry': 'warning: {id} is ranked without its text: {problem} → {hint}',
      PATH_ESCAPE: 'the path {path} is refused: {problem} → keep the file inside its folder',
      'PATH_ESCAPE/link':
        '{full} is a link that leads out of {root}{where} → nothing was written; replace the link with a file or folder of its own',
      'PATH_ESCAPE/into': 'the folder {named} is refused: {problem} → name one inside {root}',
      'PATH_ESCAPE/into-unread':
        'the folder {named} is refused: loadout rules build does not read payloads there → add "{path}/**/*.md" to "payloads" in loadout.json',
      'PATH_ESCAPE/of-entry': 'The path of "{id}" is refused: {refusal} → name a file below the root of the layer',
      'PATH_ESCAPE/entry':
        'entry {id} was skipped: its path {path} is refused: {refusal} → name a file below the root of the layer',
      'PATH_ESCAPE/pack': 'the path {path} is refused: {problem} → name a file inside the pack',
      'PATH_ESCAPE/pattern': '{shown}: the pattern is refused: {problem} → name files of the project',
      'PATH_ESCAPE/folder': 'warning: {shown}: the folder is a link that leaves the project → it was not entered',
      'PATH_ESCAPE/archive':
        '{archive}: the path {path} is refused: {problem} → every entry must lie below the root of the archive, under a name that every system can read',
      'PATH_ESCAPE/pack-link': 'it is a link that leaves the pack',
      'PATH_ESCAPE/pack-path': 'this path is refused: {problem}',
      'PATH_ESCAPE/pack-record': '{at} names a path outside the pack; it is not used',
      'PATH_ESCAPE/pack-at': '{at} names a path outside the pack',
      'PATH_ESCAPE/pack-index': 'this index names a path that is refused: {refusal}',
      'PATH_ESCAPE/pack-statement': 'a statement names this path as its source, but it is refused: {problem}',
      'PATH_ESCAPE/pack-field': '{what} is refused: {problem}',
      'PATH_ESCAPE/pack-linked': 'metadata.{layer}From is not read: {why}',
      DRIFT:
        'An index, its totals or the block in `AGENTS.md` do not match what they were made from. → Run the command in the message.',
      'DRIFT/budget-field': 'budget.{field}: the index says {said}, its entries give {is} → run: loadout rules build',
      'DRIFT/not-compared':
        'warning: entries were not compared with their payloads, which have no frontmatter: {shown}{more} → give each payload a frontmatter block with at least "id:" and "keywords: [..]"',
      'WEAK_KEYWORDS/dead-keyword':
        'warning: keywords of {id} that can never match: {keywords} → words of one letter or sign are ignored: spell it out',
      'WEAK_KEYWORDS/everyday':
        'warning: keywords of {id} that any task may contain: {keywords} → choose words that only tasks about this subject contain',
      'WEAK_KEYWORDS/unroutable-entry':
        'no task can find {id}: none of its keywords and patterns can match → give it keywords of at least two letters or digits',
      'WEAK_KEYWORDS/too-many-keywords':
        'warning: {id} has {total} keywords, so a single hit scores below {least} → keep at most {most}, or split the entry',
      'WEAK_KEYWORDS/stop-word-pattern':
        'warning: the pattern {pattern} of {id} matches every task with "{words}" → one word of a pattern is enough to match, so use only specific words',
      'WEAK_KEYWORDS/always-outranked':
        'warning: {id} always comes after {other}: both have the same keywords and patterns → give it a keyword of its own, or merge the two',
      'WEAK_KEYWORDS/fits-everything':
        'warning: a task with "{keyword}" loads {loaded} of {total} domain entries → keep it only where it distinguishes an entry from the others',
      'WEAK_KEYWORDS/entry':
        'warning: {id} has no keyword that distinguishes it from most other entries → give it a keyword of its own',
      NOTHING_TO_DO:
        'Nothing was found to work on. The message says what was looked for. → Check the path, or use other words.',
      'NOTHING_TO_DO/split-keep': '--keep: there is no section "{unknown}"{what} → sections: {headings}',
      'NOTHING_TO_DO/answer': '{what} → one JSON object per line: {"id": "skill:name", "prompts": ["…"]}',
      'NOTHING_TO_DO/prompts': 'info: every requested entry has {enough} examples or more: nothing is left to write',
      'NOTHING_TO_DO/no-entry':
        'there is no entry to write prompts for → loadout rules build makes entries of payloads; loadout try shows what entries are',
      'BUDGET_TOO_SMALL/core-over-budget':
        'core entries alone cost {tokens} tokens, more than the budget of {budget} → raise --budget, or give some core entries the priority domain',
      LEFT_OUT:
        'Something was left out, such as a text that does not fit the budget. The message says why. → Raise the limit it names.',
      'LEFT_OUT/entry': 'info: {id} was not loaded: {reason}',
      'LEFT_OUT/edited':
        'warning: {path} was edited since Loadout wrote it, and was kept → to replace it, remove it and run the command again',
      'LEFT_OUT/lfs':
        'warning: {what} missing: only a Git LFS pointer is there: {pointers} → clone the source, run git lfs pull, and import that folder',
      'LEFT_OUT/budget':
        'warning: {id} was not loaded: it needs {tokens} tokens with its fence, {left} are left → raise --budget',
    },
    'What texts say about a project': {
      STATEMENT_FALSE: 'A text that agents read says something about the project that is not so. → Correct it.',
      'STATEMENT_FALSE/path': '{name} is not there{instead}{was} → name the file that is there',
      'STATEMENT_FALSE/link': 'the link leads nowhere: {name} is not there{instead}{was} → correct the link',
      'STATEMENT_FALSE/script': 'no package.json has a script "{name}"{instead}{was} → name a script that is there',
      'STATEMENT_FALSE/target': 'no Makefile has a target "{name}"{instead}{was} → name a target that is there',
      'STATEMENT_FALSE/recipe': 'no justfile has a recipe "{name}"{instead}{was} → name a recipe that is there',
      'STATEMENT_FALSE/symbol': '{name} is no longer in the code{was} → name what is there',
      'STATEMENT_FALSE/version':
        'it says {name} {version}, but {from} asks for {least} or newer → state the version that the project asks for',
    },
    'Text for a model': {
      TEXT_CHANGED: 'A text was changed before it was shown to a model. The message says how. → Check the file.',
      'TEXT_CHANGED/pack-bytes': 'warning: it contains bytes that are not UTF-8; they were replaced',
      'TEXT_CHANGED/pack-fence': 'warning: {tokens} made harmless',
      'TEXT_CHANGED/pack-characters': 'warning: {characters} removed',
      'TEXT_CHANGED/pack-imitates': 'the text imitates a fence; it will be made harmless',
      'UNEXPECTED/fence':
        'the content of {subject} could not be fenced safely → it was not printed; please report this text as a bug',
      'TEXT_CHANGED/fences':
        'warning: {neutralised} fence-like tokens in {path} were made harmless → read the file: it may try to pose as something else',
      'TEXT_CHANGED/invisible': 'warning: {removed} invisible characters in {path} were removed',
    },
    Usage: {
      NOT_RECORDED:
        'A use or a delivery could not be recorded. The answer itself is complete. → Check the state folder.',
      'FILE_UNREADABLE/usage-lines': 'warning: {count} {what} of {path} could not be read and {what2} skipped',
      'NOTHING_TO_DO/no-task-texts':
        '{log} contains no words of tasks → loadout usage --keep-tasks on keeps them from now on',
      'NOTHING_TO_DO/other-projects':
        'no task of this project is in {log}; {are} to others → go to that project, or compare them with --all-projects',
      'NOTHING_TO_DO/no-use':
        'the usage log has no use of any skill, so Loadout cannot know the unused ones → loadout connect records which skills agents read; loadout see <agent> --longest shows what takes room',
      'CONTEXT_CHANGED/routing':
        '{differing} of {tasks} {what} choose other entries now → loadout explain <id> --task "<task>" shows why',
    },
    Examples: {
      EXAMPLE_REFUSED:
        'An example prompt was not accepted, or no longer counts. The message says why. → Write what a person would type.',
      'EXAMPLE_REFUSED/full':
        'warning: only the newest {most} examples of an entry count, and these have more: {names} → keep the best ones',
      'EXAMPLE_REFUSED/shared':
        'warning: the same prompt is an example of two entries: {names} → keep it for one of them',
      'EXAMPLE_REFUSED/secret':
        '{entry}: {what} a secret or personal data → examples are shared with the library: write the prompt without the value',
      'EXAMPLE_REFUSED/prompt': '{entry}: "{shown}" was not added: {why}{more}[ → {hint}]',
      'FILE_UNREADABLE/examples-line':
        'warning: {path}: line {line} is not used ({why}){more} → repair or remove the line; the others count',
      'EXAMPLE_REFUSED/changed':
        'warning: the description has changed since examples were written, so they do not count: {names} → loadout teach <id> --renew keeps those of an entry; loadout teach --export asks for new ones',
      'EXAMPLE_REFUSED/gone':
        'warning: examples without an entry: {names} → remove their lines, or restore the entry; the first is in {first}',
      BAD_SUITE: 'There are no test questions, or a file of them has the wrong form. → Follow the form in the message.',
      'BAD_SUITE/library': '{path} is not a library: {documents} → one JSON object per line',
      'BAD_SUITE/form': '{path} cannot be used: {problem} → see docs/how-to/test-the-choice.md for the forms',
      'BAD_SUITE/empty':
        '{path} contains no questions → write one per line: {"query": "cut a release", "relevant": ["release-pipeline"]}',
      'BAD_SUITE/pack':
        '{subject}: {problem} → a suite is { "pack_name": "…", "cases": [{ "id": "…", "prompt": "…", "expected": "select" }] }',
      'BAD_SUITE/no-questions':
        'there are no questions: {path} has no tests and no examples{why} → loadout teach adds examples; or write questions into .claude/loadout/evals, one per line: {"query": "…", "relevant": ["id"]}',
      'BAD_SUITE/no-tests':
        'info: there are no trigger tests in {unused}{more} → a test is { "query": "…", "should_trigger": true }',
      'BAD_SUITE/no-skill': 'there is no skill in {path} → name skills of the library, or a folder with a SKILL.md',
      'BAD_SUITE/no-cases':
        'there is nothing to run: {path} has no tests and no examples → loadout test --new "a prompt that should open it"',
      'BAD_SUITE/foreign': 'info: {count} cases are about skills that are not tested here',
      'BAD_SUITE/left-out': 'info: {count} cases of {skill} were left out: the limit is {limit} → --limit allows more',
      'BAD_SUITE/not-run': 'info: {count} cases also say "{what}", which Loadout does not run',
      'BAD_SUITE/missing':
        'there is no suite: {path} does not exist → name a file of questions, or write some there, one per line: {"query": "…", "relevant": ["id"]}',
      BELOW_THRESHOLD: 'An evaluation scored less than the minimum you set. → Look at the confusions it prints.',
      'BELOW_THRESHOLD/case': '{suite}, {id}: expected {expected}, got {actual}',
      'BELOW_THRESHOLD/proof':
        '{skill} in {agent}: {count} prompts are not as expected, such as: {prompt} → loadout teach {id} "<prompt>" adds an example; loadout test <skill> --improve lets your agent describe a skill better',
      'BELOW_THRESHOLD/cannot-fire':
        '{skill} in {agent} is {state} now[, {why}]; with {before} it fired for: {prompt} → loadout see {agent} --fix',
      'BELOW_THRESHOLD/harms': '{skill} made this task worse: {prompt}',
      'BELOW_THRESHOLD/figure':
        '{share} % of the questions are answered as they should, below {min} % → the wrong answers show which entries are too similar',
    },
    'Bundles, notes and adapters': {
      'FILE_NOT_FOUND/control-plane-all':
        'the project has no control plane → write an AGENTS.md, or list the files of the control plane in loadout.json',
      'FILE_NOT_FOUND/control-plane-file': 'the control plane lacks {file}, which is required',
      'NOTHING_TO_DO/no-fitting-file':
        'warning: no file of the project fits the words of the task → describe the task in other words',
      'NOTHING_TO_DO/no-files':
        'warning: the project folder has no files to choose from → run this in your project, or name its folder: --project <folder>',
      'NOTHING_TO_DO/bare-repository':
        'warning: this is a bare repository: it has no files that could be shown → clone it, and run this in the clone',
      BUDGET_TOO_SMALL: 'Nothing fits into the budget. → Use at least the size in the message.',
      'BUDGET_TOO_SMALL/files': 'warning: a bundle contains at most {maxFiles} files, not {files}',
      'BUDGET_TOO_SMALL/needs': 'warning: {lacking} into {total} → the smallest budget that gives something is {needs}',
      'BUDGET_TOO_SMALL/core':
        '{id} was not loaded: it needs {tokens} tokens with its fence, {left} are left → raise --budget',
      'USAGE/note-ttl': '--ttl {ttl} is not a duration → use 90m, 12h, 7d or 2w, at most a year',
      'USAGE/long-note': 'the note has {length} characters, more than {most} → shorten it',
      'USAGE/note-tags': '{tags} tags are too many → give at most {most}',
      'USAGE/note-tag': 'a tag or the class is too long → use at most {most} characters',
      'USAGE/empty-note': 'the note is empty → loadout note add "<text>"',
      'FILE_UNREADABLE/notes-all': '{path} contains no note: line {line} cannot be read, {problem}',
      'FILE_UNREADABLE/notes-line': 'warning: {path}: line {line} is not a note ({problem}){more} → loadout note prune',
      'LEFT_OUT/notes-unused':
        'info: no context will contain these notes until loadout.json names their file → add "tactical": { "path": "{path}" } to loadout.json',
      ADAPTER_FAILED: 'An adapter ended with an error. → Run its command by hand.',
      'ADAPTER_FAILED/degraded': '{source}: {reason}',
      'ADAPTER_FAILED/adapter-name': 'warning: the adapter {id} calls itself {own}',
      'ADAPTER_FAILED/adapter-duplicates': 'warning: the adapter {id} returned {count} items twice',
      'ADAPTER_FAILED/adapter-stale': 'warning: the data of the adapter {id} is {age} s old, more than {most} s',
      'ADAPTER_FAILED/adapter-undated': 'warning: the adapter {id} does not say when it fetched its data',
      'ADAPTER_FAILED/shape': 'its output has the wrong shape: {problem}',
      'ADAPTER_FAILED/nothing': 'it names neither a file nor a command',
      'ADAPTER_FAILED/timeout': 'it took longer than {timeoutMs} ms',
      'ADAPTER_FAILED/cancelled': 'it was cancelled',
      'ADAPTER_FAILED/flood': 'it printed more than {most} bytes',
      'ADAPTER_FAILED/signal': 'it was ended by {signal}',
      'ADAPTER_FAILED/exit': 'it ended with exit code {code}',
      'ADAPTER_FAILED/closed': 'the program may not be executed',
      'ADAPTER_FAILED/start': 'the program could not be started ({why})',
      'ENTRY_NOT_FOUND/program': 'there is no such program',
      'ENTRY_NOT_FOUND/adapter':
        'no {adapter} runs a command → [known adapters: {known}][adapters are named under "adapters" in {settings}]',
      'PATH_ESCAPE/adapter': 'its file is refused: {problem}',
      'NOT_TEXT/adapter': 'its output is not UTF-8',
      'BAD_JSON/adapter': 'its output cannot be read: {problem}',
      'ADAPTER_NOT_ALLOWED/unknown': 'its command was not allowed on this machine → loadout approve {adapter}',
      'ADAPTER_NOT_ALLOWED/changed': 'it has changed since it was approved: {changes} → loadout approve {adapter}',
      'ADAPTER_NOT_ALLOWED/denied': 'its command was denied',
      'ADAPTER_NOT_ALLOWED/unpinnable': 'its command cannot be approved: {problems}',
      ADAPTER_NOT_ALLOWED:
        'The command of an adapter was not approved on this machine. → Run `loadout approve adapter:<id>`.',
      'ADAPTER_NOT_ALLOWED/approval':
        'the command of the adapter {id} cannot be approved: {problems} → name a script file of the project that imports only files by their paths: node tools/tickets.js',
    },
  }) as const
