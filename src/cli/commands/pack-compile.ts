import type { Compiled, CompileTask, PackCompileStatus } from '../../loadout.ts'
import { failWith, type Report } from '../../text/trouble.ts'
import { defineCommand, PACK_ARGUMENT, PROJECT_FLAG } from '../command.ts'
import { count, lines, printableLine, printableText, type Screen } from '../screen.ts'

export const compileCommands = [
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
