import type { Report } from '../../domain/shared/finding.ts'
import { withKeptTasks } from '../../domain/skills/config.ts'
import { changeConfig, readConfig } from '../../infra/config.ts'
import { configPath } from '../../infra/config-file.ts'
import { type Machine, usageLogPath } from '../../infra/machine.ts'

export interface TaskKeeping {
  keepsTasks: boolean
  config: string
  log: string
}

/** Whether the words of tasks are written into the usage log from now on. What is in it already stays. */
export async function switchTaskKeeping(machine: Machine, { isOn }: { isOn: boolean }): Promise<Report<TaskKeeping>> {
  await changeConfig(machine, (json) => withKeptTasks(json, isOn))
  const { keepsTasks } = readConfig(machine)
  return { value: { keepsTasks, config: configPath(machine), log: usageLogPath(machine) }, findings: [] }
}
