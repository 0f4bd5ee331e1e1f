import type { PackConfig } from '../../domain/packs/pack-config.ts'
import { readPackConfig } from '../../infra/config.ts'
import type { Machine } from '../../infra/machine.ts'
import type { Project } from '../../infra/open-project.ts'
import { packageFolder } from '../../infra/package-folder.ts'
import { type Discovery as Discovered, discoverPacks } from '../../infra/packs/discover.ts'

/** What was found, and the configuration it was looked for with. */
export interface Discovery extends Discovered {
  config: PackConfig
}

export interface DiscoverRequest {
  /** The folder of a project, if it is not the one around the working folder. */
  project?: string | Project | undefined
}

/** Every pack that this machine can see from here, as its configuration says. */
export function discover(machine: Machine, { project }: DiscoverRequest): Discovery {
  const config = readPackConfig(machine)
  return { ...discoverPacks(machine, { project, config, packageFolder: packageFolder() }), config }
}
