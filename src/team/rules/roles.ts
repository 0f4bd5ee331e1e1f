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
