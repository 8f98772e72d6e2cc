import { channelLayer } from './channel-layer.ts'
import { locationLayer } from './location-layer.ts'
import { maintenanceLayer } from './maintenance-layer.ts'
import type { CatalogueLayer } from './policy-layer.ts'

/** One for each kind of resources that the catalogue shows, the lowest first. */
export const catalogueLayers: readonly CatalogueLayer[] = [maintenanceLayer, channelLayer, locationLayer]
