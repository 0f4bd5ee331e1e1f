import { defineCommand, LAYER_FLAGS, PROJECT_FLAG } from '../command.ts'
import { alignRows, count, formatFindings, grouped, lines, printableLine } from '../screen.ts'

/** The project's index, or the user's own. */
const INDEX_FLAGS = {
  ...PROJECT_FLAG,
  layer: { kind: 'choice', choices: ['project', 'global'], summary: 'which index (default: project)' },
  globalDir: { name: 'global', ...LAYER_FLAGS.global },
} as const

export const ruleCommands = [
  defineCommand({
    name: 'rules build',
    aliases: { 'index build': [] },
    summary: 'build the index from the payload files',
    details:
      'Payloads are Markdown files whose frontmatter says when they are needed. "payloads" in loadout.json selects the files\n(default: .claude/loadout and .claude/rules). If there are errors, nothing is written.',
    args: [],
    flags: { ...INDEX_FLAGS, dryRun: { kind: 'switch', summary: 'only show what would be written' } },
    run: ({ request }, loadout) => loadout.knowledge.buildIndex(request),
    print: ({ path, state, index }, screen) => {
      const { always_loaded_est: always, on_demand_total_est: onDemand } = index.budget
      const size = `${count(index.entries.length, 'entry', 'entries')}, ${grouped(always)} tokens always, ${grouped(onDemand)} on demand`
      return lines(`${screen.strong(state === 'refused' ? 'not written' : state)}  ${printableLine(path)}`, `  ${size}`)
    },
    toJson: ({ path, state, index, observed }) => {
      const budget = { ...index.budget, avg_task_load_observed: observed }
      return { path, state, ...index, budget }
    },
  }),
  defineCommand({
    name: 'rules check',
    aliases: { 'index check': [] },
    summary: 'check that the index is up to date and routes well, for CI',
    details:
      'Reports drift in every field, missing and orphan payloads, duplicate ids and paths that leave the root as errors.\nWarns of keywords that cannot match, too many keywords, patterns of common words, keywords\nthat match half of all entries or any task, and entries that never rank first.',
    args: [],
    flags: INDEX_FLAGS,
    run: ({ request }, loadout) => loadout.knowledge.checkIndex(request),
    print: ({ path, entries }, screen, findings) =>
      findings.length === 0
        ? lines(`${screen.good('in order')}  ${printableLine(path)}`, `  ${count(entries, 'entry', 'entries')}`)
        : formatFindings(findings, screen) +
          lines('', `${count(findings.length, 'finding')} in ${printableLine(path)}`),
    printsFindings: true,
  }),
  defineCommand({
    name: 'rules migrate',
    aliases: { 'index migrate': [] },
    summary: 'split a large instruction file into payloads',
    details:
      'Shows the result; --write applies it. Sections become payloads, general rules stay inline, the file gets a list of\nwhat can be loaded, and the original is kept beside it. No existing file is overwritten.',
    args: [{ name: 'file', summary: 'such as CLAUDE.md', required: true, complete: 'file' }],
    flags: {
      write: { kind: 'switch', summary: 'write the payloads, the lean file and the index' },
      into: { kind: 'text', value: 'folder', summary: 'where payloads go (default: .claude/loadout)' },
      level: {
        kind: 'number',
        value: '1-6',
        summary: 'split at headings of this level (default: the highest that repeats)',
      },
      keep: { kind: 'list', value: 'heading', summary: 'a section that stays inline; may be repeated' },
      ...PROJECT_FLAG,
    },
    run: ({ request }, loadout) => loadout.knowledge.migrate(request),
    print: (result, screen) => {
      const { payloads, kept, tokensBefore, tokensAfter, file, backup } = result
      return lines(
        alignRows(
          [
            ...payloads.map(({ path, tokens, keywords }) => [
              '  payload',
              path,
              `${grouped(tokens)} tok`,
              keywords.join(', '),
            ]),
            ...kept.map(({ heading, tokens, reason }) => [
              '  inline',
              heading || '(beginning)',
              `${grouped(tokens)} tok`,
              reason,
            ]),
          ],
          [2],
        ),
        '',
        screen.strong(`${printableLine(file)}: ${grouped(tokensBefore)} tokens before, ${grouped(tokensAfter)} after`),
        backup === undefined
          ? 'Nothing was written. To apply it, add --write'
          : `Written. The original is kept as ${printableLine(backup)}; loadout rules check verifies the result.`,
      )
    },
  }),
  defineCommand({
    name: 'rules resolve',
    aliases: { resolve: [] },
    summary: 'show the layers and the merged index',
    args: [],
    flags: LAYER_FLAGS,
    run: ({ flags }, loadout) => loadout.knowledge.resolve(loadout.knowledge.nameLayers(flags)),
    print: ({ layers, entries, conflicts, budget }, screen) => {
      const { avg_task_load_observed: load } = budget
      const observed = load === null ? '' : ` · ${grouped(load)} per task measured here`
      return lines(
        alignRows(
          layers.map(({ name, path, found, problem }) => [
            `  ${name}`,
            found ? 'found' : problem === undefined ? 'none' : 'broken',
            path,
          ]),
        ),
        '',
        entries.length === 0
          ? 'No entries. Start with: loadout rules build, or loadout try'
          : [
              ...alignRows(
                entries.map(({ id, priority, tokens, source }) => [`  ${id}`, priority, grouped(tokens), source]),
                [2],
              ),
              '',
              ...conflicts.map(({ entryId, layers: names }) => `  ${printableLine(entryId)}: ${names.join(' → ')}`),
              screen.strong(
                `${count(entries.length, 'entry', 'entries')} · ${grouped(budget.always_loaded_est)} tokens always · ${grouped(budget.on_demand_total_est)} on demand${observed} · ${count(conflicts.length, 'override')}`,
              ),
            ],
      )
    },
  }),
]
