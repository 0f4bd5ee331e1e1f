import { type McpServer, ResourceTemplate, type Variables } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { entryId, type Loadable } from '../loadout.ts'
import { fence } from '../text/fence.ts'
import { printableLine } from '../text/printable.ts'
import type { Finding } from '../text/trouble.ts'
import {
  cap,
  ENTRY_TEMPLATE,
  entryUri,
  INDEX_URI,
  MOST_CHARACTERS,
  orProtocolError,
  PACK_TEMPLATE,
  packUri,
  placeOf,
  readVariable,
  TASK,
  type ToolContext,
  warningsOf,
} from './tool.ts'
import { buildFitting } from './tools/context.ts'
import { TEACHING_PROMPT } from './tools/teach-examples.ts'

/** A kind of resource with many instances. */
interface Kind {
  name: string
  description: string
  template: string
  /** The part of the address that can be completed. */
  variable: string
  list(loadable: Loadable): { name: string; summary: string }[]
  uriOf(name: string): string
  /** What to read for an address. */
  idOf(variables: Variables): string
}

const KINDS: readonly Kind[] = [
  {
    name: 'entry',
    description: 'The text of one payload',
    template: ENTRY_TEMPLATE,
    variable: 'id',
    list: ({ payloads }) => payloads.map(({ id, summary }) => ({ name: id, summary })),
    uriOf: entryUri,
    idOf: ({ id }) => `payload:${readVariable(id)}`,
  },
  {
    name: 'pack',
    description: 'One file of a knowledge pack',
    template: PACK_TEMPLATE,
    variable: 'name',
    list: ({ packs }) => packs,
    uriOf: (name) => packUri(name, 'KNOWLEDGE.md'),
    idOf: ({ name, path }) => `pack:${readVariable(name)}/${readVariable(path)}`,
  },
]

const MARKDOWN = { mimeType: 'text/markdown' }
/** A list of thousands of entries does not help; the search does. */
export const MOST_LISTED = 200
const INDEX_DESCRIPTION = `What can be loaded here. As resources, the first ${MOST_LISTED} of each kind are listed.`

/** The loadable entries, as resources for a person to choose from. */
export function serveResources(mcp: McpServer, context: ToolContext): void {
  const listLoadable = () => context.loadout.context.listLoadable(placeOf(context))
  const loadable = async () => (await listLoadable()).value
  const contents = (uri: URL, text: string) => ({ contents: [{ uri: uri.href, ...MARKDOWN, text }] })

  mcp.registerResource('index', INDEX_URI, { description: INDEX_DESCRIPTION, ...MARKDOWN }, (uri) =>
    orProtocolError(async () => {
      const { value, findings } = await listLoadable()
      return contents(uri, indexText(value, findings))
    }),
  )
  for (const { name, description, template, variable, list, uriOf, idOf } of KINDS) {
    const resources = async () =>
      list(await loadable())
        .slice(0, MOST_LISTED)
        .map((item) => ({ uri: uriOf(item.name), name: item.name, description: printableLine(item.summary) }))
    // The SDK truncates it, and reports that there are more.
    const complete = async (text: string) =>
      list(await loadable()).flatMap((item) => (item.name.startsWith(text) ? [item.name] : []))
    const read = async (uri: URL, id: string) => {
      const { value } = await context.loadout.context.read({ id, ...placeOf(context), maxCharacters: MOST_CHARACTERS })
      return contents(uri, value.text)
    }
    mcp.registerResource(
      name,
      new ResourceTemplate(template, {
        list: () => orProtocolError(async () => ({ resources: await resources() })),
        complete: { [variable]: (text) => orProtocolError(() => complete(text)) },
      }),
      { description, ...MARKDOWN },
      (uri, variables) => orProtocolError(() => read(uri, idOf(variables))),
    )
  }
}

/** Prompts for people, who choose them by name. */
export function servePrompts(mcp: McpServer, { loadout, project }: ToolContext): void {
  mcp.registerPrompt(
    'load-context',
    {
      description: 'A task, together with what this project knows about it',
      argsSchema: z.object({ task: TASK.describe('What is to be done') }),
    },
    ({ task }, { mcpReq }) =>
      orProtocolError(async () => {
        const { value } = await buildFitting(loadout.context.build, { task, project, signal: mcpReq.signal })
        const say = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } })
        return { messages: [value.renderings.markdown, task].filter((text) => text !== '').map(say) }
      }),
  )
  mcp.registerPrompt(
    'teach',
    { description: 'Write example prompts, so that Loadout finds the right skill, pack or payload' },
    () => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text: TEACHING_PROMPT } }] }),
  )
}

/** All loadable entries, one line each, with the id to read it by. */
function indexText({ payloads, skills, disclosure }: Loadable, findings: readonly Finding[]): string {
  const lines = [
    ...payloads.map(({ id, summary, priority, tokens }) =>
      line(entryId('payload', id), `${priority}, ${tokens} tokens`, summary),
    ),
    ...skills.map(({ name, summary }) => line(entryId('skill', name), 'skill', summary)),
  ]
  const { shown, cut } = cap(lines, 400, 'entries are')
  const rest = cut.map((sentence) => `${sentence}; search_knowledge finds them`)
  const told = [...shown, ...rest, ...warningsOf(findings).map(oneLine)]
  const body = told.length === 0 ? 'There are no entries yet.' : told.join('\n')
  return `${fence('loadout_context', { id: 'index' }, body).text}${disclosure}`
}

function line(id: string, kind: string, summary: string): string {
  return `- ${oneLine(id)} (${kind}): ${oneLine(summary).slice(0, 200)}`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
