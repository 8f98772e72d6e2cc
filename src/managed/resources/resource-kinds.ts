import { projectKind } from '../deploy/project-kind.ts'
import { accountVariables } from './account-variables.ts'
import { alertChannelKind } from './alert-channel.ts'
import { checkGroups } from './check-groups.ts'
import { maintenanceWindowKind } from './maintenance-window.ts'
import { privateLocationKind } from './private-location.ts'
import type { ResourceKind } from './resource-kind.ts'

export const resourceKinds: readonly ResourceKind[] = [
  checkGroups,
  accountVariables,
  maintenanceWindowKind,
  privateLocationKind,
  alertChannelKind,
  projectKind,
]
