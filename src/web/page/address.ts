import { signal } from '@preact/signals'

/** Where the page is: a screen, and what is chosen in it. Everything a reload or a link must bring back stands here. */
export interface Address {
  screen: string
  params: URLSearchParams
}

function read(): Address {
  return { screen: location.pathname.slice(1) || 'agents', params: new URLSearchParams(location.search) }
}

export const address = signal(read())
addEventListener('popstate', () => {
  address.value = read()
})

/** The token works once: it need not be visible, and must not stay in the history. */
export function forgetToken(): void {
  const { params } = read()
  if (!params.has('token')) return
  params.delete('token')
  history.replaceState(null, '', hrefOf(location.pathname.slice(1), params))
  address.value = read()
}

export function hrefOf(screen: string, params: URLSearchParams | Record<string, string> = {}): string {
  const search = new URLSearchParams(params).toString()
  return `/${screen}${search === '' ? '' : `?${search}`}`
}

/** Opens a screen, as a link does. */
export function go(screen: string, params: Record<string, string> = {}): void {
  history.pushState(null, '', hrefOf(screen, params))
  address.value = read()
}

type Choices = Readonly<Record<string, string | readonly string[] | undefined>>

/** Changes what is chosen in this screen; what is undefined or empty is left out. */
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
