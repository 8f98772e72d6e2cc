import { oneAtATime } from '../../concurrency/one-at-a-time.ts'
import { apiError } from '../../errors.ts'

/** Running or queued. Each holds its upload and its plan, up to about 100 MB. */
const maxDeployments = { account: 2, server: 4 }

/** Runs deployments and dry runs of an account one after the other, with a queue limit. */
export function createDeployTurns() {
  const inTurn = oneAtATime()
  const accounts: string[] = []
  return async <T>(account: string, deploy: () => Promise<T>): Promise<T> => {
    const own = accounts.filter((one) => one === account).length
    if (own >= maxDeployments.account || accounts.length >= maxDeployments.server)
      throw apiError('TOO_MANY_DEPLOYMENTS', {}, { 'retry-after': '5' })
    accounts.push(account)
    try {
      return await inTurn(account, deploy)
    } finally {
      accounts.splice(accounts.indexOf(account), 1)
    }
  }
}
