import { createHash, createHmac } from 'node:crypto'

/**
 * What an administrator hands to a person: the secret that the server knows by its hash, and the team's key, which the
 * server never learns. With the key a machine turns a person into a pseudonym that cannot be guessed without the key.
 */
export interface Token {
  secret: string
  key: string
}

const TOKEN = /^ldt_([A-Za-z0-9_-]{32})\.([A-Za-z0-9_-]{32})$/

export function formatToken({ secret, key }: Token): string {
  return `ldt_${secret}.${key}`
}

export function parseToken(text: string): Token | undefined {
  const [, secret, key] = TOKEN.exec(text.trim()) ?? []
  return secret === undefined || key === undefined ? undefined : { secret, key }
}

/** 192 bits, as both parts of a token need them. */
export function asSecret(random: Buffer): string {
  return random.subarray(0, 24).toString('base64url')
}

/** All that the database holds of a secret. It is random, so that a plain hash cannot be guessed back. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** How people name a token when they list or revoke it. */
export function tokenId(secret: string): string {
  return hashSecret(secret).toString('hex').slice(0, 12)
}

/** Tells two keys apart and says nothing about either. */
export function keyPrint(key: string): string {
  return createHash('sha256').update(`key ${key}`).digest('hex').slice(0, 16)
}

/** The same person has the same pseudonym on every machine of a team, and another one in every other team. */
export function pseudonym(key: string, person: string): string {
  return createHmac('sha256', key).update(`person ${person.trim().toLowerCase()}`).digest('hex').slice(0, 32)
}

/** From the least to the most: each may do all that those before it may. */
export const ROLES = ['member', 'maintainer', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** Every right, and the least role that has it. */
const RIGHTS = {
  'usage.send': 'member',
  'report.read': 'member',
  'machines.read': 'maintainer',
  'tokens.manage': 'admin',
  'catalog.read': 'member',
  'catalog.publish': 'maintainer',
  'catalog.approve': 'admin',
} as const satisfies Record<string, Role>

export type Right = keyof typeof RIGHTS

export function mayUse(role: Role, right: Right): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(RIGHTS[right])
}

export function leastRole(right: Right): Role {
  return RIGHTS[right]
}

export function asRole(text: unknown): Role | undefined {
  return ROLES.find((role) => role === text)
}
