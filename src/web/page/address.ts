import { signal } from '@preact/signals'
import { MOVED } from './screens.ts'

/** The open screen, empty for the first, and the choices in it: everything that a reload or a link must restore. */
export interface Address {
  screen: string
  params: URLSearchParams
}

function read(): Address {
  const path = location.pathname.slice(1)
  const params = new URLSearchParams(location.search)
  const moved = Object.hasOwn(MOVED, path) ? MOVED[path] : undefined
  if (moved === undefined) return { screen: path, params }
  const [screen, view] = moved
  if (view !== undefined) params.set('view', view)
  history.replaceState(null, '', hrefOf(screen, params) + location.hash)
  return { screen, params }
}

export const address = signal(read())
addEventListener('popstate', () => {
  address.value = read()
})

const TOKEN = /^#token=(.+)$/

/** Moves the token from the address and the history to local storage, where every tab of this origin finds it. */
export function keepToken(): boolean {
  const given = TOKEN.exec(location.hash)?.[1]
  if (given === undefined) return false
  localStorage.setItem('token', given)
  history.replaceState(null, '', location.pathname + location.search)
  return true
}

// A new token for the open page does not load it again.
addEventListener('hashchange', () => keepToken() && location.reload())

export function hrefOf(screen: string, params: URLSearchParams | Record<string, string> = {}): string {
  const search = new URLSearchParams(params).toString()
  return `/${screen}${search === '' ? '' : `?${search}`}`
}

/** Opens a screen like a link. */
export function go(href: string): void {
  history.pushState(null, '', href)
  address.value = read()
}

/** A click on a link to a screen, unless it asks for another tab. */
export function open(event: MouseEvent & { currentTarget: HTMLAnchorElement }): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  go(event.currentTarget.getAttribute('href') ?? '/')
}

type Choices = Readonly<Record<string, string | readonly string[] | undefined>>

/** Changes the choices in this screen; undefined or empty removes one. */
export function choose(choices: Choices): void {
  const params = new URLSearchParams(address.value.params)
  for (const [name, value] of Object.entries(choices)) {
    params.delete(name)
    const values = typeof value === 'string' ? [value] : (value ?? [])
    for (const each of values) if (each !== '') params.append(name, each)
  }
  history.replaceState(null, '', hrefOf(address.value.screen, params))
  address.value = read()
}

export function chosen(name: string): string {
  return address.value.params.get(name) ?? ''
}

export function allChosen(name: string): string[] {
  return address.value.params.getAll(name)
}
