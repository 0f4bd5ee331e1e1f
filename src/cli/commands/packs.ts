import { PROFILES, RUNTIME_MODES } from '../../display-rules.ts'
import type {
  Compiled,
  CompileTask,
  NewPack,
  PackCompileStatus,
  PackFromDocs,
  PackList,
  PackView,
} from '../../loadout.ts'
import { textWidth } from '../../text/text-width.ts'
import { type Finding, failWith, type Report } from '../../text/trouble.ts'
import { defineCommand, isYes, PACK_ARGUMENT, PROJECT_FLAG } from '../command.ts'
import {
  alignRows,
  count,
  formatFindings,
  lines,
  printableLine,
  printableText,
  type Screen,
  shorten,
  wrap,
} from '../screen.ts'
import { packsResolve } from './pack-context.ts'

const LONGEST_NAME = 40

const compileCommands = [
  defineCommand({
    name: 'packs compile',
    summary: 'let your agent choose the short views of a pack',
    details: `loadout packs compile shop-docs prints the task for an agent: the inputs, and the form of the answer.
loadout packs compile shop-docs task.md writes it to a file; loadout packs compile shop-docs --import answer.md reads the answer.
Large packs are compiled part by part: run it again after each import, until no part is left. An edited input comes again.
The answer names lines of the inputs, and Loadout copies them word for word. If one does not exist, or if an input changed meanwhile, Loadout writes nothing.
Loadout writes the views, the source map and the record of the run together. Over MCP the tool compile_pack does the same.`,
    args: [
      PACK_ARGUMENT,
      {
        name: 'file',
        summary: 'file for the task, or with --import the file with the answer (- reads standard input)',
        complete: 'file',
      },
    ],
    flags: {
      import: { kind: 'switch', summary: 'read the answer of an agent from the file' },
      reviewed: { kind: 'switch', summary: 'you have reviewed the answer, so Loadout does not ask for a review' },
      ...PROJECT_FLAG,
    },
    run: ({ args, flags, readStdin }, loadout): Promise<Report<CompileTask | Compiled>> => {
      const base = { pack: args.pack, project: flags.project, isConfirmed: true }
      if (!flags.import) {
        if (flags.reviewed)
          throw failWith('USAGE/needs', { flag: '--reviewed', what: '--import', command: 'packs compile' })
        return loadout.knowledge.exportCompile({ ...base, out: args.file })
      }
      if (args.file === undefined) throw failWith('USAGE/no-answer', { command: 'packs compile' })
      const source = args.file === '-' ? { text: readStdin() } : { file: args.file }
      return loadout.knowledge.importCompile({ ...base, ...source, isReviewed: flags.reviewed })
    },
    print: (value) => {
      if (!('text' in value)) {
        const { pack, root, written, statements, unknown, isReviewed, next, left } = value
        if (written.length === 0) return lines('Nothing was written.')
        return lines(
          `compiled ${pack}: ${count(statements, 'statement')}, ${count(unknown, 'open question')}`,
          left > 0 && `${count(left, 'part')} of the inputs to go`,
          `  ${printableLine(root)}`,
          written.map((file) => `  ${file}`),
          !isReviewed && 'Review the views, then import again with --reviewed; until then each use shows a warning.',
          'next:',
          next.map((command) => `  ${printableLine(command)}`),
        )
      }
      const { pack, inputs, text, path, parts, done } = value
      if (path === undefined) return printableText(text)
      return lines(
        `Wrote the task for ${pack}, from ${count(inputs.length, 'input')}, to ${printableLine(path)}`,
        parts > inputs.length && `${done} of ${parts} parts are done; this task is about the next ${inputs.length}.`,
        `Give the file to an agent, save its answer, then: loadout packs compile ${pack} --import <file>`,
      )
    },
  }),
  defineCommand({
    name: 'packs status',
    summary: 'show which views of your packs are stale or were never compiled',
    args: [{ name: 'pack', summary: 'only this pack' }],
    flags: PROJECT_FLAG,
    run: ({ request }, loadout) => loadout.knowledge.packStatus(request),
    print: ({ packs }, screen) =>
      packs.length === 0
        ? lines('Neither you nor this project has a pack: loadout packs new <name> creates one.')
        : lines(packs.flatMap((pack) => describeViews(pack, screen))),
  }),
]

export const packCommands = [
  defineCommand({
    name: 'packs list',
    summary: 'list every knowledge pack, and whether it may be read',
    details:
      'A * marks a pack that another pack of the same name overrides. "follows": approved with all later changes. "changed": agents get what was approved, as long as Loadout has it.',
    args: [],
    flags: {
      all: { kind: 'switch', summary: 'include archived and overridden packs' },
      format: {
        kind: 'choice',
        choices: ['text', 'prompt'],
        summary: 'prompt: a description of the packs for a model',
      },
      ...PROJECT_FLAG,
    },
    run: async ({ flags }, loadout) => {
      const { format, ...request } = flags
      const { value, findings } = await loadout.knowledge.listPacks(request)
      return { value: { ...value, isPrompt: format === 'prompt' }, findings }
    },
    printsFindings: true,
    toJson: ({ isPrompt, ...list }) => list,
    print: (value, screen, findings) => (value.isPrompt ? value.disclosure : listing(value, screen, findings)),
  }),
  defineCommand({
    name: 'packs show',
    summary: 'show a pack’s manifest, and whether it may be read',
    args: [PACK_ARGUMENT],
    flags: PROJECT_FLAG,
    run: ({ request }, loadout) => loadout.knowledge.showPack(request),
    print: (pack, screen) =>
      lines(
        screen.strong(printableLine(pack.name)),
        wrap(pack.description, 2),
        '',
        alignRows(
          factsOf(pack).flatMap(([what, value]) => (value === undefined || value === '' ? [] : [[`  ${what}`, value]])),
        ),
        pack.diagnostics.length > 0 && '',
        pack.diagnostics.flatMap(({ severity, code, message }) => wrap(`${severity}: ${message} [${code}]`, 2)),
        '',
        screen.faint(`Next: ${printableLine(pack.next)}`),
      ),
  }),
  defineCommand({
    name: 'packs guide',
    summary: 'print the guide of a knowledge pack, fenced as data',
    details: 'Exits with 3 when an approval or a confirmation is missing.',
    args: [PACK_ARGUMENT],
    flags: {
      isConfirmed: { name: 'confirm', kind: 'switch', summary: 'show it even if it is a draft or disputed' },
      ...PROJECT_FLAG,
    },
    run: ({ request }, loadout) => loadout.knowledge.openGuide(request),
    print: ({ guide }) => printableText(guide),
  }),
  packsResolve,
  defineCommand({
    name: 'packs new',
    summary: 'create a knowledge pack',
    details:
      'Writes a small, valid pack as a draft: in .agents/knowledge of the project, or with --user of your home folder. With --from it makes the pack from existing documents: those of the project stay where they are, and Loadout proposes a description for you to confirm. Run it again after larger changes: the map and a proposed description follow, and what you wrote stays.',
    args: [{ name: 'name', summary: 'lower case letters, digits and hyphens' }],
    flags: {
      from: { kind: 'text', value: 'source', summary: 'a folder, document, archive or address' },
      copy: { kind: 'switch', summary: 'copy the documents of --from into the pack' },
      follow: { kind: 'switch', summary: 'let agents read the pack of --from, with all later changes' },
      profile: { kind: 'choice', choices: PROFILES, summary: 'how it stores facts (default: wiki-first)' },
      mode: { kind: 'choice', choices: RUNTIME_MODES, summary: 'facts or voice (default: data)' },
      description: { kind: 'text', value: 'text', summary: 'what it knows, and when to use it' },
      isUser: { name: 'user', kind: 'switch', summary: 'create it for all your projects' },
      ...PROJECT_FLAG,
    },
    run: async (
      { request: { from, copy, follow, mode, name, ...request }, ask },
      loadout,
    ): Promise<Report<NewPack | PackFromDocs>> => {
      if (from !== undefined) {
        if (mode !== undefined) throw failWith('USAGE/combined', { flags: '--mode and --from', command: 'packs new' })
        const made = await loadout.knowledge.startPackFrom({ name, from, copy, follow, ...request })
        const { path, trust } = made.value
        const question = `May agents read ${printableLine(path)}, now and after all later changes? [y/N] `
        if (trust !== 'unapproved' || ask === undefined || !isYes(ask(question))) return made
        await loadout.agents.approve({ what: path, kind: 'pack', follow: true })
        const next = made.value.next.filter((command) => !command.startsWith('loadout approve'))
        return { ...made, value: { ...made.value, trust: 'approved', follows: true, next } }
      }
      const alone = copy ? '--copy' : '--follow'
      if (copy || follow) throw failWith('USAGE/needs', { flag: alone, what: '--from', command: 'packs new' })
      if (name === undefined) throw failWith('USAGE/no-pack-name')
      return loadout.knowledge.startPack({ name, mode, ...request })
    },
    print: (pack) => {
      const { name, path, next } = pack
      const commands = next.map((command) => `  ${printableLine(command)}`)
      if (!('from' in pack)) {
        const files = pack.files.map((file) => `  ${file}`)
        return lines(`created ${name} in ${printableLine(path)}`, files, 'write it, then:', commands)
      }
      const { from, profile, documents, isCopied, leftOut, written, removed, follows } = pack
      const left = leftOut.map(
        ({ what, count: many, example }) => `  ${what}: ${many}, such as ${printableLine(example)}`,
      )
      const all = leftOut.reduce((sum, { count: many }) => sum + many, 0)
      return lines(
        `${written.length + removed.length === 0 ? 'nothing to change in' : 'made'} ${name}: ${count(documents, 'document')}, ${profile}`,
        `  ${printableLine(path)}`,
        `  the documents ${isCopied ? 'were copied from' : 'stay in'} ${printableLine(from)}`,
        all > 0 && [`left out ${count(all, 'entry', 'entries')}:`, ...left],
        follows && '  agents may read it, with all later changes',
        pack.isProposed && [
          'description, proposed; confirm or correct it in KNOWLEDGE.md:',
          ...wrap(pack.description, 2),
        ],
        'next:',
        commands,
      )
    },
  }),
  ...compileCommands,
  defineCommand({
    name: 'packs example',
    summary: 'declare that lines of a pack only look like a secret',
    details:
      'Writes the digest of the lines into secret-examples.json of the pack. Loadout then neither reports nor withholds these lines, until they change.',
    args: [
      { name: 'pack', summary: 'folder of the pack', required: true, complete: 'file' },
      {
        name: 'place',
        summary: 'file and line, as loadout check prints them: documents/a.md:12',
        required: true,
        rest: 'text',
      },
    ],
    flags: {},
    run: ({ args, words }, loadout) => loadout.knowledge.declareExamples({ pack: args.pack, places: words.slice(1) }),
    print: ({ declared, count: all }) =>
      lines(
        declared.map(({ path, line }) => `${printableLine(path)}:${line} is an example`),
        `${count(all, 'example is', 'examples are')} declared. Loadout asks again when such a line changes.`,
      ),
  }),
  defineCommand({
    name: 'packs export',
    summary: 'write a pack as a bundle of the Open Knowledge Format',
    details:
      'Writes a new folder: a bundle as it is, another pack with the type that the format requires on every page and an index. Loadout reads such a folder as the same pack.',
    args: [PACK_ARGUMENT],
    flags: {
      okf: { kind: 'switch', summary: 'the format; there is no other yet' },
      out: { kind: 'text', value: 'folder', summary: 'the new folder (default: the name of the pack)' },
      ...PROJECT_FLAG,
    },
    run: ({ request }, loadout) =>
      loadout.knowledge.exportPack({ ...request, out: request.out ?? `${request.pack}-okf` }),
    print: ({ name, path, pages, others }) =>
      lines(`wrote ${name}: ${count(pages, 'page')}, ${count(others, 'other file')}`, `  ${printableLine(path)}`),
  }),
  defineCommand({
    name: 'packs fetch',
    summary: 'fetch the knowledge packs of the organization',
    details:
      'Clones or updates the repositories named under "organization" in the configuration. If one cannot be fetched, its old copy stays, and the others are still fetched.',
    args: [],
    flags: {},
    run: ({ control }, loadout) => loadout.knowledge.fetchPacks(control),
    print: ({ sources }) =>
      sources.length === 0
        ? 'The configuration has no repository with knowledge packs.\n'
        : lines(alignRows(sources.map(({ source, state, commit = '' }) => [state, commit.slice(0, 7), source]))),
  }),
]

function listing(value: PackList, screen: Screen, findings: readonly Finding[]): string {
  return (
    lines(
      value.packs.length > 0 ? table(value, screen) : noPacks(value),
      value.packs.length > 0 && ['', ...wrap(totals(value), 0).map(screen.strong)],
      notes(value, screen),
    ) +
    formatFindings(
      findings.filter(({ code }) => !code.startsWith('catalog.')),
      screen,
    )
  )
}

function table({ packs }: PackList, screen: Screen): string[] {
  const [heading = '', ...rows] = alignRows([
    ['  pack', 'status', 'scope', 'trust'],
    ...packs.map(({ name, isShadowed, status, scope, effectiveTrust, follows }) => [
      `${isShadowed ? '*' : ' '} ${shorten(name, LONGEST_NAME - 2)}`,
      status,
      scope,
      follows ? 'follows' : effectiveTrust,
    ]),
  ])
  const start = Math.max(...[heading, ...rows].map(textWidth)) + 2
  const described = rows.map((row, at) => {
    const description = packs[at]?.description ?? ''
    // A shorter description would not be useful.
    if (80 - start < 12 || description === '') return row
    return `${row}${' '.repeat(start - textWidth(row))}${shorten(description, 80 - start)}`
  })
  return [screen.faint(heading), ...described]
}

function totals({ packs, waiting, collisions, quarantined, hidden }: PackList): string {
  const parts: [number, string][] = [
    [waiting.length, 'waiting for approval'],
    [collisions.length, 'with a duplicate name'],
    [quarantined.length, 'unreadable'],
    [hidden.archived, 'archived'],
    [hidden.shadowed, 'overridden'],
  ]
  const said = parts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`)
  return [count(packs.length, 'pack'), ...said].join(' · ')
}

function notes({ waiting, collisions, quarantined }: PackList, screen: Screen): string[] {
  return [
    ...(waiting.length > FEW_WAITING ? allWaiting(waiting, screen) : []),
    ...(waiting.length > FEW_WAITING ? [] : waiting).flatMap(({ name, scope, trust, wouldShadow, command }) => {
      const why = trust === 'changed' ? 'has changed since it was approved' : 'is not approved'
      const place = wouldShadow ? ', and would override another' : ''
      return [`${shorten(name, LONGEST_NAME)} (${scope}) ${why}${place}:`, screen.faint(`  ${printableLine(command)}`)]
    }),
    ...collisions.map(({ name, winner, shadowed, lowerTrustShadowsHigher }) => {
      const losers = shadowed.map(({ scope }) => scope).join(', ')
      const doubt = lowerTrustShadowsHigher ? ', although one of them claims more trust' : ''
      return `${shorten(name, LONGEST_NAME)}: ${winner.scope} is used; overridden: ${losers}${doubt}`
    }),
    ...quarantined.flatMap(({ path, reason, line }) => [
      `${printableLine(path)}${line === undefined ? '' : `:${line}`}`,
      `  is not a pack: ${printableLine(reason)}`,
    ]),
  ]
}

const FEW_WAITING = 2

function allWaiting(waiting: PackList['waiting'], screen: Screen): string[] {
  const names = waiting.map(({ name }) => shorten(name, LONGEST_NAME)).join(', ')
  return [...wrap(`Not approved: ${names}`, 0), screen.faint('  loadout approve --waiting --kind pack')]
}

function noPacks({ roots, hidden }: PackList): string[] {
  if (hidden.archived > 0) return [`${count(hidden.archived, 'pack')}, archived: loadout packs list --all`]
  return ['There are no knowledge packs. Loadout looked in:', ...roots.map(({ path }) => `  ${printableLine(path)}`)]
}

function factsOf(pack: PackView): [what: string, value: string | undefined][] {
  const { producedBy, files } = pack
  const producer = producedBy && [producedBy.kind, producedBy.name, producedBy.version].filter(Boolean).join(' ')
  return [
    ['status', pack.status],
    ['trust', `${pack.effectiveTrust}${pack.follows ? ', with all later changes' : ''}; it calls itself ${pack.trust}`],
    ['found in', pack.scope],
    ['folder', pack.packRoot],
    ['type', pack.type],
    ['profile', pack.profile],
    ['mode', pack.runtime_mode],
    ['grounding', pack.grounding],
    ['version', pack.version],
    ['updated', pack.updated],
    ['language', pack.language],
    ['license', pack.license],
    ['maintainers', pack.maintainers.join(', ')],
    ['ownership', pack.ownership],
    ['compatibility', pack.compatibility],
    ['document', pack.primaryDocument],
    ['ontology', pack.primaryOntology],
    ['answers', pack.primaryAnswers],
    ['made by', producer],
    ['files', files?.map(({ layer, count }) => `${layer} ${count}`).join(', ')],
    ['overrides', pack.collision?.winner.path === pack.packRoot ? scopesOf(pack.collision.shadowed) : undefined],
    [
      'overridden by',
      pack.collision && pack.collision.winner.path !== pack.packRoot ? pack.collision.winner.path : undefined,
    ],
  ]
}

function scopesOf(shadowed: NonNullable<PackView['collision']>['shadowed']): string {
  return shadowed.map(({ scope }) => scope).join(', ')
}

const VIEW_STATES: Record<string, string> = {
  current: 'up to date',
  stale: 'stale',
  failed: 'not finished, and not used',
  'by-hand': 'written by hand',
  'not-compiled': 'not compiled',
}

function describeViews({ name, state, next }: PackCompileStatus, screen: Screen): string[] {
  if (state === undefined)
    return [screen.strong(name), '  not approved', ...next.map((each) => screen.faint(`  ${printableLine(each)}`))]
  const { views, unread, inputs, needsReview, toConfirm } = state
  return [
    screen.strong(name),
    `  ${inputs - unread.length} of ${count(inputs, 'input')} compiled`,
    ...views.flatMap((view) => [
      `  ${printableLine(view.path)}  ${VIEW_STATES[view.state] ?? view.state}`,
      ...view.changed.slice(0, 5).map((path) => `    changed: ${printableLine(path)}`),
      ...(view.gone > 0 ? [`    ${count(view.gone, 'input')} gone`] : []),
    ]),
    ...(unread.length > 0 && views.some((view) => view.isCompiled)
      ? [`  ${count(unread.length, 'input')} not yet compiled, such as ${printableLine(unread[0] ?? '')}`]
      : []),
    ...(needsReview ? ['  text by an agent needs a review'] : []),
    ...toConfirm.map((what) => `  to be confirmed: the ${what} in KNOWLEDGE.md`),
    ...next.map((each) => screen.faint(`  ${printableLine(each)}`)),
  ]
}
