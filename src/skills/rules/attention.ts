import { shellWord } from '../../text/printable.ts'
import type { Finding } from '../../text/trouble.ts'
import { type PlacementStatus, placeOf } from './skill.ts'

function scopeFlag({ placement }: PlacementStatus): string {
  return placement.root.scope === 'project' ? ' --project .' : ''
}

/** Why Loadout does not change an existing folder. */
export function inTheWay(name: string, found: PlacementStatus): Finding {
  const place = placeOf(found)
  if (found.state === 'unmanaged') {
    const message = `${place} was not installed by loadout${found.reason ? ` (${found.reason})` : ''}; it was left as it is`
    const where = scopeFlag(found)
    const replace = `loadout equip ${name}${where} --replace installs the library's version`
    const hint =
      found.placement.kind === 'file'
        ? `remove it, or move it out of this folder: mv ${shellWord(place)} ~/`
        : found.placement.kind === 'link'
          ? `${replace}; what the link leads to stays`
          : `loadout diff ${name}${where} shows how it differs; ${replace} and keeps a copy elsewhere`
    return { severity: 'error', code: 'UNMANAGED_FOLDER', message, subject: name, hint }
  }
  return needsAction(name, found)
}

/** What the user must decide about an install. */
export function needsAction(name: string, found: PlacementStatus): Finding {
  const place = placeOf(found)
  const where = scopeFlag(found)
  switch (found.state) {
    case 'edited': {
      const hint = `loadout adopt ${name}${where} brings the edit into the library; loadout diff ${name}${where} shows it`
      return {
        severity: 'warning',
        code: 'EDITED_INSTALL',
        message: `${place} was edited by hand`,
        subject: name,
        hint,
      }
    }
    case 'broken': {
      const message = `${place} cannot be judged: ${found.reason}`
      const hint = 'loadout doctor --fix repairs the marker where the content allows it; otherwise move the folder away'
      return { severity: 'error', code: 'BROKEN_MARKER', message, subject: name, hint }
    }
    case 'unsupported': {
      const message = `${place} is installed, but the skill no longer lists ${found.agent}`
      const hint = `loadout unequip ${name} --target ${found.agent}${where}`
      return { severity: 'warning', code: 'UNSUPPORTED_TARGET', message, subject: name, hint }
    }
    case 'outdated': {
      const message = `${place} is older than the library`
      return {
        severity: 'warning',
        code: 'OUTDATED_INSTALL',
        message,
        subject: name,
        hint: 'loadout sync refreshes it',
      }
    }
    default: {
      const message = `${place} is installed, but the library no longer has it`
      const hint = `loadout unequip ${name}${where} removes it; loadout import ${shellWord(place)} brings it back`
      return { severity: 'warning', code: 'ORPHANED_INSTALL', message, subject: name, hint }
    }
  }
}

export function keptEdit(name: string, found: PlacementStatus): Finding {
  const message = `${placeOf(found)} was edited by hand and was not refreshed`
  const hint = `loadout adopt ${name}${scopeFlag(found)} brings the edit into the library`
  return { severity: 'warning', code: 'EDITED_INSTALL', message, subject: name, hint }
}
