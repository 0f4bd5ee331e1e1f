import { signal } from '@preact/signals'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Conversations, FullSearchResult, Inventory, PackList, Resolution } from '../../loadout.ts'
import { go, hrefOf } from './address.ts'
import { ask } from './api.ts'
import { line } from './format.ts'
import { SCREENS } from './screens.ts'

const isOpen = signal(false)

export function openSearch(): void {
  isOpen.value = true
}

/** One thing that can be opened. */
interface Item {
  kind: string
  name: string
  about?: string
  href: string
}

const ACTIONS: readonly Item[] = [
  { kind: 'action', name: 'Add skills from a repository or folder', href: hrefOf('', { do: 'add' }) },
  { kind: 'action', name: 'Check this installation', href: hrefOf('', { view: 'checks' }) },
  { kind: 'action', name: 'Connect agents with hooks and MCP', href: hrefOf('', { do: 'connect' }) },
  { kind: 'action', name: 'Prices and other settings', href: hrefOf('', { view: 'settings' }) },
  { kind: 'action', name: 'See what each agent lists', href: hrefOf('skills', { view: 'lists' }) },
  { kind: 'action', name: 'Show usage over time', href: hrefOf('skills', { view: 'usage' }) },
  { kind: 'action', name: 'Compare skills that overlap', href: hrefOf('skills', { view: 'overlaps' }) },
  { kind: 'action', name: 'Try a task', href: hrefOf('task') },
]

const SHOWN = 8
/** The focus stays in the field, which names the current item of the list. */
const COMBOBOX = { type: 'text', role: 'combobox' } as const

/** Opens with `/` or ctrl-k: screens and actions, skills, knowledge, conversations, and the files of the project. */
export function Search() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isText = event.target instanceof Element && event.target.closest('input, textarea, select, dialog') !== null
      const isCalled = (event.key === '/' && !isText) || (event.key === 'k' && (event.ctrlKey || event.metaKey))
      if (!isCalled) return
      event.preventDefault()
      isOpen.value = true
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return isOpen.value ? <Palette onClose={() => (isOpen.value = false)} /> : null
}

function Palette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const known = useKnown()
  const found = useFound(text)
  const items = [...matching(known, text), ...found]
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  const open = (item: Item | undefined) => {
    if (item === undefined) return
    onClose()
    go(item.href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(items.length - 1, at + 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1))
    else if (event.key === 'Enter') open(items[at])
    else return
    event.preventDefault()
  }
  return (
    <dialog ref={dialog} class="palette" aria-label="Search" onCancel={onClose}>
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is among the fields of COMBOBOX */}
      <input
        {...COMBOBOX}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={items.length > 0 ? `${id}-${at}` : undefined}
        aria-label="Search skills, knowledge, conversations, files and actions"
        placeholder="Search skills, knowledge, conversations, files, actions"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label="Found" class="palette-list">
        {items.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          <div
            key={`${item.kind} ${item.href} ${item.name}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            class={index === at ? 'is-current' : ''}
            ref={(row) => (index === at ? row?.scrollIntoView({ block: 'nearest' }) : undefined)}
            onMouseMove={() => setAt(index)}
            onClick={() => open(item)}
          >
            <span class="muted palette-kind">{item.kind}</span>
            <span class="clip">{line(item.name, 120)}</span>
            <span class="clip muted">{line(item.about ?? '', 160)}</span>
          </div>
        ))}
      </div>
      <p class="muted" role="status">
        {items.length === 0 ? 'Nothing found.' : 'Arrows move, Enter opens, Escape closes.'}
      </p>
    </dialog>
  )
}

/** By their names, at once. */
function matching(known: readonly Item[], text: string): Item[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const fits = ({ kind, name, about = '' }: Item) => {
    const all = `${kind} ${name} ${about}`.toLowerCase()
    return words.every((word) => all.includes(word))
  }
  const begins = ({ name }: Item) => Number(!name.toLowerCase().startsWith(words[0] ?? ''))
  const shown = words.length === 0 ? known.slice(0, SCREENS.length + ACTIONS.length) : known.filter(fits)
  return [...shown].sort((a, b) => begins(a) - begins(b)).slice(0, words.length === 0 ? 20 : SHOWN)
}

/** What has a name: asked once, when the search is opened. */
function useKnown(): readonly Item[] {
  const [known, setKnown] = useState<readonly Item[]>([
    ...SCREENS.map(({ name, path }) => ({ kind: 'screen', name, href: hrefOf(path) })),
    ...ACTIONS,
  ])
  useEffect(() => {
    const stop = new AbortController()
    const add = (items: readonly Item[]) => stop.signal.aborted || setKnown((before) => [...before, ...items])
    const read = <T,>(path: string, items: (answer: T) => readonly Item[]) =>
      void ask<T>(path, {}, stop.signal).then(
        (answer) => add(items(answer)),
        () => {},
      )
    read<Inventory>('/api/inventory', ({ skills }) =>
      skills.map(({ name, description }) => ({
        kind: 'skill',
        name,
        about: description,
        href: hrefOf('skills', { skill: name }),
      })),
    )
    read<Conversations>('/api/sessions', ({ conversations }) =>
      conversations.map(({ via, session, title, last }) => ({
        kind: 'conversation',
        name: title ?? session,
        about: `${via}, ${last.slice(0, 16).replace('T', ' ')}`,
        href: hrefOf('conversations', { agent: via, session }),
      })),
    )
    read<PackList>('/api/packs', ({ packs }) =>
      packs.map(({ name, description, packRoot }) => ({
        kind: 'pack',
        name,
        about: description,
        href: hrefOf('knowledge', { pack: packRoot }),
      })),
    )
    read<Resolution>('/api/payloads', ({ entries }) =>
      entries.map(({ id }) => ({ kind: 'rule', name: id, href: hrefOf('knowledge', { rule: id }) })),
    )
    return () => stop.abort()
  }, [])
  return known
}

/** By their texts, a moment after the last key. */
function useFound(text: string): readonly Item[] {
  const [found, setFound] = useState<{ text: string; items: readonly Item[] }>({ text: '', items: [] })
  useEffect(() => {
    if (text.trim().length < 3) return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      ask<FullSearchResult>('/api/search', { query: text, limit: 6 }, stop.signal).then(
        ({ files, sections }) =>
          setFound({ text, items: [...files.map(fileItem(text)), ...sections.map(sectionItem)] }),
        () => {},
      )
    }, 200)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text])
  return found.text === text ? found.items : []
}

function fileItem(text: string) {
  return ({ path, why }: FullSearchResult['files'][number]): Item => ({
    kind: 'file',
    name: path,
    about: why,
    href: hrefOf('task', { task: text, part: path }),
  })
}

function sectionItem({ pack, path, title, from, to }: FullSearchResult['sections'][number]): Item {
  return {
    kind: 'page',
    name: title || path,
    about: `${pack}, ${path}`,
    href: hrefOf('knowledge', { pack, page: `${path}#L${from}-L${to}` }),
  }
}
