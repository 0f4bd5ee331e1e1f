import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTrusted } from '../../src/packs/rules/gates/pack.fixture.ts'
import type { TrustedPack } from '../../src/packs/rules/gates/trust.ts'
import type { PackManifest, PackWarning } from '../../src/packs/rules/pack.ts'
import { memoryPack } from '../../src/packs/rules/pack-files.fixture.ts'
import { allGaps, findMissing } from '../../src/packs/rules/resolve/gaps.ts'
import { presentPack } from '../../src/packs/rules/resolve/pack-context.ts'
import { type PackRequest, resolvePack } from '../../src/packs/rules/resolve/resolve-pack.ts'
import { sectionDocuments } from '../../src/packs/rules/resolve/sections.ts'
import { rankedTogether, SECTION_RANKING } from '../../src/packs/stored-sections.ts'
import { createRanker } from '../../src/search/ranker.ts'
import { readTask } from '../../src/search/task.ts'
import { type Content, makeFolder, makeProject, type Run, type RunOptions } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

export type Files = Record<string, string>

/** Options for resolving a pack in memory. */
export interface Asked extends Partial<Omit<PackRequest, 'task' | 'hits' | 'rarity'>> {
  manifest?: Partial<PackManifest>
  budget?: number
  /** Facts that the caller needs. */
  needs?: readonly string[]
}

/** Resolves a task with a pack in memory: chooses, fits the budget, fences. */
export function resolveFiles(files: Files, asking: string, asked: Asked = {}) {
  const task = readTask(asking)
  const { manifest, budget = 4000, needs = [], ...rest } = asked
  const pack: TrustedPack = makeTrusted(manifest)
  const all = { 'KNOWLEDGE.md': guideText(), ...files }
  const held = memoryPack(all)
  // From a copy of the files, so that `opened` lists only the files of this question.
  const indexed = sectionDocuments(memoryPack(all), pack)
  const sections = rankedTogether(new Map([['', createRanker(indexed.documents, SECTION_RANKING)]]))
  const resolved = resolvePack(pack.manifest, held, {
    task,
    wantsCitations: false,
    isDeep: false,
    isDisputed: false,
    today: '2026-01-31',
    hits: sections.rank(task),
    rarity: sections.rarity,
    ...rest,
  })
  const given = [{ manifest: pack.manifest, resolution: resolved }]
  const missing = findMissing(task, needs, { given, besides: [] }, sections.rarity)
  const resolution = {
    ...resolved,
    missing: [...resolved.missing, ...missing],
    warnings: [...resolved.warnings, ...indexed.warnings],
  }
  const presented = presentPack(pack, resolution, budget)
  const { choices, wrapper, warnings, omitted, tokens } = presented
  return {
    ...resolution,
    wrapper: wrapper ?? '',
    warnings,
    omitted,
    tokens,
    opened: held.opened,
    chosen: choices,
    /** Without the guide. */
    paths: [...new Set(choices.filter(({ rule }) => rule !== 'guide').map(({ path }) => path))],
    gaps: allGaps(resolution),
  }
}

export type Resolved = ReturnType<typeof resolveFiles>

/** A KNOWLEDGE.md with little metadata: a pack in memory already has its manifest. */
export function guideText(body = '# Guide\n\n## Rules\n\nSay where a fact comes from.\n'): string {
  return `---\nname: handbook\n---\n\n${body}`
}

/** A guide with a context map of these lines. */
export function mapText(...lines: string[]): string {
  return guideText(`# Guide\n\n## Context map\n\n${lines.map((line) => `- ${line}\n`).join('')}`)
}

/** `severity code path`, or only those of one code. */
export function told(warnings: readonly Pick<PackWarning, 'severity' | 'code' | 'path'>[], code?: string): string[] {
  return warnings
    .filter((warning) => code === undefined || warning.code === code)
    .map((warning) => `${warning.severity} ${warning.code} ${warning.path}`)
}

/** A source map with these claims and defaults for missing fields. */
export function sourceMap(
  ...claims: { id: string; text?: string; status: string; source?: object; into?: string[] }[]
) {
  return JSON.stringify({
    claims: claims.map(({ id, text = `What ${id} says.`, status, source = { path: 'sources/log.md' }, into = [] }) => ({
      claim_id: id,
      text,
      status,
      source,
      compiled_into: into,
    })),
  })
}

/** A compile run that made these files. */
export function compileRun(id: string, status: string, outputs: Record<string, string>, more: object = {}): string {
  return JSON.stringify({
    run_id: id,
    trigger: 'manual',
    status,
    inputs: [],
    outputs: Object.entries(outputs).map(([path, operation]) => ({ path, operation })),
    ...more,
  })
}

/** Packs with all their files, by the path below `.agents/knowledge`. */
export type Packs = Record<string, Record<string, Content>>

export interface ResolvingWorld {
  workspace: string
  home: string
  /** The folder of a pack. */
  rootOf(name: string): string
  run(words: readonly string[], options?: RunOptions): Run
  /** The answer to `packs resolve --json`, with its exit code. */
  resolve(words: readonly string[], options?: RunOptions): Answer
  /** The files that a run opens and writes below a folder, and the programs that it starts. */
  watch(words: readonly string[], below: string): Watched
}

export interface Answer {
  code: number | null
  json: ReturnType<typeof JSON.parse>
}

export interface Watched extends Run {
  opened: string[]
  written: string[]
  started: string[]
}

export function makeResolvingWorld(packs: { workspace?: Packs; user?: Packs }): ResolvingWorld {
  const workspace = makeProject({ '.git/HEAD': '', ...placed(packs.workspace) })
  const home = makeProject(placed(packs.user))
  const run: ResolvingWorld['run'] = (words, options) =>
    runWarm(['packs', ...words], { cwd: workspace, home, ...options })
  return {
    workspace,
    home,
    rootOf: (name) => join(packs.workspace?.[name] === undefined ? home : workspace, '.agents/knowledge', name),
    run,
    resolve: (words, options) => {
      const { code, stdout } = run(['resolve', ...words, '--json'], options)
      return { code, json: JSON.parse(stdout) }
    },
    watch: (words, below) => {
      const record = join(makeFolder(), 'record.json')
      const preload = `--require ${join(import.meta.dirname, 'record-files.cjs')}`
      const env = { NODE_OPTIONS: preload, RECORD_BELOW: below, RECORD_INTO: record }
      const result = run(words, { env })
      return { ...result, ...JSON.parse(readFileSync(record, 'utf8')) }
    },
  }
}

function placed(packs: Packs = {}): Record<string, Content> {
  return Object.fromEntries(
    Object.entries(packs).flatMap(([name, files]) =>
      Object.entries(files).map(([path, content]) => [`.agents/knowledge/${name}/${path}`, content]),
    ),
  )
}

/** A world whose user has the packs of the test fixtures. */
export function makeFixtureWorld(...names: string[]): ResolvingWorld {
  const world = makeResolvingWorld({})
  for (const name of names) cpSync(join(import.meta.dirname, 'fixtures', name), world.rootOf(name), { recursive: true })
  return world
}

/** The files of a small wiki-first pack about quails; pass only the fields that matter. */
export function quailPack(fields: Record<string, string> = {}, files: Record<string, Content> = {}) {
  const all = {
    name: 'quails',
    description: 'Facts about quails. Use for questions about quails, their eggs and their food.',
    type: 'domain-reference',
    status: 'ready',
    profile: 'wiki-first',
    trust: 'user-confirmed',
    grounding: 'recommended',
    ...fields,
  }
  const head = Object.entries(all).map(([key, value]) => `${key}: ${value}\n`)
  return {
    'KNOWLEDGE.md': `---\n${head.join('')}---\n\n# Quails\n\n## Rules\n\nCall every bird by its name.\n`,
    'compiled/facts.md': '# Facts\n\n- Quail eggs weigh nine grams. [source: sources/log.md#L3]\n',
    'compiled/boundaries.md': '# Boundaries\n\n- Never give advice on raw eggs.\n',
    'wiki/index.md': '# Pages\n\n- [Eggs](concepts/eggs.md) - their weight\n',
    'wiki/concepts/eggs.md': '# Eggs\n\nNine grams each, speckled. [source: sources/log.md#L3]\n',
    'wiki/contradictions/egg-weight.md': '# Egg weight\n\nOne keeper says nine grams, another eleven.\n',
    'sources/log.md': '# Log\n\nTwelve eggs weighed 108 grams.\n',
    ...files,
  }
}
