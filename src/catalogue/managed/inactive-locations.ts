import { grouped } from '../../collections/lists.ts'
import type { Catalogue } from '../catalogue.ts'
import { locationKind, locationOf } from './location-layer.ts'
import type { Resources } from './resources.ts'

type Log = { error(message: string): void }

const maxLogged = 20

/** Logs which managed locations are inactive, and why, when that changes. */
export function createInactiveLog(log: Log): (catalogue: Catalogue, resources: Resources) => void {
  let lastLogged = ''
  return (catalogue, resources) => {
    const reason = catalogue.service().allowManagedLocations
      ? 'its name is in use, in the config file or by an earlier one'
      : 'the config file does not set allowManagedLocations: true'
    const byAccount = grouped(resources.all(locationKind), ({ account }) => account)
    const names = [...byAccount].flatMap(([account, locations]) => {
      const active = new Set(catalogue.managedLocations(account).values())
      const inactive = catalogue.account(account) ? locations.filter(({ id }) => !active.has(id)) : []
      return inactive.map((location) => `${locationOf(location).slugName} of ${account}`)
    })
    const text = [reason, ...names].join(', ')
    if (text === lastLogged) return
    lastLogged = text
    for (const name of names.slice(0, maxLogged))
      log.error(`The private location ${name} is managed over the API, but not active: ${reason}.`)
    if (names.length > maxLogged) log.error(`And ${names.length - maxLogged} more private locations.`)
  }
}
