import type { Machine } from '../../infra/machine.ts'
import { packageFolder } from '../../infra/package-folder.ts'
import { type Discovery, discoverPacks } from '../../infra/packs/discover.ts'
import { readPackConfig } from '../../infra/packs/pack-config-file.ts'

export interface DiscoverRequest {
  /** The folder of a project, if it is not the one around the working folder. */
  project?: string | undefined
}

/** Every pack that this machine can see from here, as its configuration says. */
export function discover(machine: Machine, { project }: DiscoverRequest): Discovery {
  return discoverPacks(machine, {
    workspace: project,
    config: readPackConfig(machine),
    packageFolder: packageFolder(),
  })
}
