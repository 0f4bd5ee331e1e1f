import { createHash, createHmac } from 'node:crypto'

/**
 * What an administrator gives to a user: a secret, of which the server knows the hash, and the team's key, which the
 * server never learns. With the key a machine makes a pseudonym of its user that cannot be guessed without the key.
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

/** 192 bits, for each part of a token. */
export function asSecret(random: Buffer): string {
  return random.subarray(0, 24).toString('base64url')
}

/** The database stores only this. The secret is random, so that it cannot be guessed from a plain hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** The id of a token in lists, and to revoke it. */
export function tokenId(secret: string): string {
  return hashSecret(secret).toString('hex').slice(0, 12)
}

/** Distinguishes keys without revealing them. */
export function keyPrint(key: string): string {
  return createHash('sha256').update(`key ${key}`).digest('hex').slice(0, 16)
}

/** A person has one pseudonym on all machines of a team, and another in every other team. */
export function pseudonym(key: string, person: string): string {
  return createHmac('sha256', key).update(`person ${person.trim().toLowerCase()}`).digest('hex').slice(0, 32)
}

/** In ascending order: each role has all rights of those before it. */
export const ROLES = ['member', 'maintainer', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** Every right, and the lowest role that has it. */
const RIGHTS = {
  'usage.send': 'member',
  'report.read': 'member',
  'machines.read': 'maintainer',
  'tokens.manage': 'admin',
  'audit.read': 'admin',
  'catalog.read': 'member',
  'catalog.publish': 'maintainer',
  'proposals.send': 'member',
  'proposals.read': 'maintainer',
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

/** The highest role that a claim of a provider gives; undefined for none. */
export function roleOf(claim: unknown, roles: Partial<Record<Role, string>>): Role | undefined {
  const values = Array.isArray(claim) ? claim : [claim]
  return ROLES.findLast((role) => roles[role] !== undefined && (roles[role] === '*' || values.includes(roles[role])))
}

/** `admin=platform,member=*` */
export function parseRoles(text: string): Partial<Record<Role, string>> | undefined {
  const pairs = text.split(',').map((pair) => /^\s*(\w+)\s*=\s*(\S.*?)\s*$/.exec(pair))
  if (pairs.some((pair) => asRole(pair?.[1]) === undefined)) return undefined
  return Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]]))
}
