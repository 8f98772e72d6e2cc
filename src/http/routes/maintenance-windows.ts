import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import { writeMaintenanceWindow } from '../../catalogue/wire/maintenance-window.ts'
import { maintenanceWindowKind, requireWindow, windowFromBody } from '../../managed/resources/maintenance-window.ts'
import { isoText } from '../../time.ts'
import { maintenanceWindowBody, maintenanceWindowSchema } from '../reference/policy-schemas.ts'
import type { Routes } from '../route.ts'
import { addResourceRoutes, numberId } from './resource-routes.ts'

/** Managed maintenance windows in the format of existing clients. Those of the config file are not listed. */
export const maintenanceWindowRoutes: Routes = (app, deps) =>
  addResourceRoutes(app, deps, {
    path: '/v1/maintenance-windows',
    kind: maintenanceWindowKind,
    group: 'Managed resources',
    plural: 'maintenance windows',
    schema: maintenanceWindowSchema,
    body: {
      schema: maintenanceWindowBody,
      example: {
        name: 'Database move',
        startsAt: '2026-11-20T21:00:00.000Z',
        endsAt: '2026-11-21T01:00:00.000Z',
        repeatUnit: 'WEEK',
        repeatInterval: 2,
        repeatEndsAt: '2027-06-01T00:00:00.000Z',
        tags: ['shop'],
      },
    },
    id: numberId,
    read: (body) => ({ definition: windowFromBody(body) }),
    restore: requireWindow,
    entry: windowEntry,
  })

function windowEntry({ id, definition, createdAt, updatedAt }: ManagedResource) {
  return { id: Number(id), ...writeMaintenanceWindow(definition), created_at: isoText(createdAt), updated_at: isoText(updatedAt) }
}
