import { pointerText as placeText } from '../../project/rules/file-pointer.ts'
import { DATA_PREAMBLE, endLine, harmlessLine, openingTag } from '../../text/fence.ts'
import { type BundleFile, type BundlePointer, type ContextBundle, POINTER_GROUPS, type SourceClass } from './bundle.ts'

export const RENDERINGS = ['markdown', 'xml', 'text'] as const
export type Rendering = (typeof RENDERINGS)[number]

/**
 * What renderings need besides the bundle. A file is fenced with the boundary of its class, which is derived from the
 * candidates of that class: the content of one slice changes no byte of another.
 */
export interface Marks {
  boundaries: Readonly<Record<SourceClass | 'frame', string>>
  /** Warnings about control plane and task. Warnings about advice are only counted; otherwise they would take room. */
  warnings: readonly string[]
}

/** The text before and between the files. All foreign text in it is already neutralised. */
interface Frame {
  title: string
  facts: readonly string[]
  warnings: readonly string[]
  missing: readonly string[]
}

/** One output format of a bundle. Its parts are only concatenated, so that their lengths add up. */
interface Style {
  head(frame: Frame, boundary: string): string
  /** A line of the table of contents, with the reason. */
  row(file: BundleFile, labels: Labels): string
  middle: string
  open(file: BundleFile, labels: Labels): string
  close: string
  foot: string
}

/** The neutralised labels of a file. */
interface Labels {
  name: string
  reason: string
  /** The tag that opens its fence. */
  opening: string
}

// Cached by file: all renderings use the same labels, and each is built several times until the bundle fits.
const written = new WeakMap<Marks, Map<string, Labels>>()

function labelsOf(file: BundleFile, marks: Marks): Labels {
  const boundary = marks.boundaries[file.source_class]
  const known = written.get(marks) ?? new Map<string, Labels>()
  written.set(marks, known)
  const key = [file.source_class, file.path, file.selected_by, file.reason, file.score > 0].join('\0')
  const labels = known.get(key) ?? {
    name: nameOf(file, boundary),
    reason: reasonOf(file, boundary),
    opening: `${openingTag(ELEMENT, { path: file.path, class: file.source_class, selected_by: file.selected_by, boundary }, boundary)}\n`,
  }
  known.set(key, labels)
  return labels
}

const ELEMENT = 'loadout_file'
const MOST_WARNINGS = 30

const closingTag = `</${ELEMENT}>\n`

/**
 * The name of an adapter item or a note is foreign text outside every fence: keeps only characters of ids, and the
 * reason does not quote it.
 */
function nameOf({ path, source_class }: BundleFile, boundary: string): string {
  const isAdvice = source_class === 'tactical' || source_class === 'adapter'
  const name = isAdvice ? path.replace(/[^\p{L}\p{N}._:/#@+-]+/gu, '_').slice(0, 80) : path
  return harmlessLine(name, boundary, 200).text
}

function reasonOf({ reason, score, source_class }: BundleFile, boundary: string): string {
  if (source_class === 'control_plane' || source_class === 'task') return harmlessLine(reason, boundary, 200).text
  return score > 0 ? 'it matches the task' : 'nothing in it matches the task'
}

const sizeOf = ({ chars_emitted, chars_total }: BundleFile) => `${chars_emitted} of ${chars_total ?? 'many'} characters`

const STYLES: Record<Rendering, Style> = {
  markdown: {
    head: ({ title, facts, warnings, missing }) =>
      [
        `# ${title}\n\n${DATA_PREAMBLE}\n\n`,
        ...facts.map((fact) => `- ${fact}\n`),
        ...listed('\n## Warnings\n\n', warnings),
        ...listed('\n## Missing: ask, or call it unknown\n\n', missing),
        '\n## What is inside\n\n| file | class | why | size |\n| --- | --- | --- | --- |\n',
      ].join(''),
    row: (file, { name, reason }) => {
      const cell = (text: string) => text.replaceAll('|', '/')
      return `| ${cell(name)} | ${file.source_class} | ${cell(reason)} | ${sizeOf(file)} |\n`
    },
    middle: '\n## Files\n',
    open: (file, { name, opening }) => `\n### ${name}\n\n${file.fenced ? '' : opening}`,
    close: closingTag,
    foot: '',
  },
  xml: {
    head: ({ title, facts, warnings, missing }, boundary) =>
      [
        `<loadout_context boundary="${boundary}">\n${title}\n${DATA_PREAMBLE}\n`,
        ...facts.map((fact) => `${fact}\n`),
        ...listed('Warnings:\n', warnings),
        ...listed('Missing (ask, or call it unknown):\n', missing),
        'Inside:\n',
      ].join(''),
    row: (file, { name, reason }) => `- ${name}: ${file.source_class}, ${reason}, ${sizeOf(file)}\n`,
    middle: '',
    open: (file, { opening }) => (file.fenced ? '' : opening),
    close: closingTag,
    foot: '</loadout_context>\n',
  },
  text: {
    head: ({ title, facts, warnings, missing }) =>
      [
        `${title}\n${DATA_PREAMBLE}\n`,
        ...facts.map((fact) => `${fact}\n`),
        ...listed('\nWarnings\n', warnings),
        ...listed('\nMissing: ask, or call it unknown\n', missing),
        '\nInside\n',
      ].join(''),
    row: (file, { name, reason }) => `  ${name}  ${file.source_class}  ${reason}  ${sizeOf(file)}\n`,
    middle: '',
    open: (file, { opening }) => `\n${file.fenced ? '' : opening}`,
    close: closingTag,
    foot: '',
  },
}

function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `- ${line}\n`)]
}

/** The control plane did not fit. In a place of its own, so that the frame always has the same length. */
export const SHORTENED = 'the control plane did not fit into its part of the budget; its excerpts were shortened'

type Framed = Pick<ContextBundle, 'task' | 'intent' | 'preset' | 'control_plane' | 'warnings' | 'missing'>
type Rendered = Framed & Pick<ContextBundle, 'files' | 'pointers' | 'omitted'>

function frameOf(bundle: Framed, omitted: number, marks: Marks): Frame {
  const clean = (text: string, longest = 300) => harmlessLine(text, marks.boundaries.frame, longest).text
  const { intent, preset, control_plane } = bundle
  const matched = intent.matched.length === 0 ? '' : ` (${intent.matched.join(', ')})`
  const isShortened = bundle.warnings.includes(SHORTENED)
  const rest = marks.warnings.length - MOST_WARNINGS
  const unshown = bundle.warnings.length - marks.warnings.length - Number(isShortened)
  return {
    title: `Context for: ${clean(bundle.task, 500)}`,
    facts: [
      clean(`Intent ${intent.key}${matched}, preset ${preset}, control plane ${control_plane.status}.`),
      // Fixed width: a larger bundle must not become shorter because it has fewer omissions.
      `Left out: ${wide(omitted)}. Warnings about advice: ${wide(unshown)}. Control plane shortened: ${isShortened ? 'yes' : ' no'}.`,
    ],
    warnings: [
      ...marks.warnings.slice(0, MOST_WARNINGS).map((line) => clean(line)),
      ...(rest > 0 ? [`and ${rest} more`] : []),
    ],
    missing: bundle.missing.slice(0, MOST_WARNINGS).map((line) => clean(line)),
  }
}

function wide(count: number): string {
  return String(count).padStart(7)
}

export function renderBundle(bundle: Rendered, rendering: Rendering, marks: Marks): string {
  const style = STYLES[rendering]
  const { files, pointers } = bundle
  return [
    style.head(frameOf(bundle, bundle.omitted.length, marks), marks.boundaries.frame),
    ...files.map((file) => style.row(file, labelsOf(file, marks))),
    pointerText(pointers ?? [], marks),
    style.middle,
    ...files.map(
      (file) => `${style.open(file, labelsOf(file, marks))}${endLine(file.excerpt)}${file.fenced ? '' : style.close}`,
    ),
    style.foot,
  ].join('')
}

const HEADINGS: Record<BundlePointer['group'], string> = {
  file: 'Also likely, not shown',
  test: 'Tests',
  companion: 'Often changed together with these',
}

/** The places that are only named, by group; the same in every rendering. */
export function pointerText(pointers: readonly BundlePointer[], { boundaries }: Marks): string {
  const clean = (text: string, longest = 200) => harmlessLine(text, boundaries.task, longest).text
  return POINTER_GROUPS.flatMap((group) => {
    const lines = pointers
      .filter((pointer) => pointer.group === group)
      .map((pointer) => {
        const why = clean(pointer.why, 80)
        return `- ${placeText(pointer, clean)}${why === '' ? '' : `  (${why})`}\n`
      })
    return lines.length === 0 ? [] : [`\n${HEADINGS[group]}:\n`, ...lines]
  }).join('')
}

/** The texts of a frame in some renderings, to measure a bundle without its files. */
export function frameTexts(bundle: Framed, marks: Marks, renderings: readonly Rendering[]): string[] {
  const frame = frameOf(bundle, 0, marks)
  return renderings.map((rendering) => {
    const style = STYLES[rendering]
    return style.head(frame, marks.boundaries.frame) + style.middle + style.foot
  })
}

/** The texts around a file in some renderings. A shorter excerpt never makes them longer. */
export function overheadTexts(file: BundleFile, marks: Marks, renderings: readonly Rendering[]): string[] {
  const labels = labelsOf(file, marks)
  return renderings.map((rendering) => {
    const style = STYLES[rendering]
    return `${style.row(file, labels)}${style.open(file, labels)}\n${file.fenced ? '' : style.close}`
  })
}
