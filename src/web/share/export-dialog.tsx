import { useState } from 'preact/hooks'
import { useSession } from '../api/use-resource.ts'
import { serverUrl } from '../state/base-path.ts'
import { Choice } from '../view/fields.tsx'
import { Copyable } from './copyable.tsx'
import { Dialog } from './dialog.tsx'
import type { Exported } from './exports.ts'
import { curl, grafana, sheetsFormula, sheetsScript } from './recipes.ts'
import { csv } from './rows.ts'
import { loadWholeCsv } from './whole-csv.ts'

const ways = [
  { value: 'curl', label: 'curl' },
  { value: 'csv', label: 'CSV' },
  { value: 'sheets', label: 'Sheets formula' },
  { value: 'grafana', label: 'Grafana query' },
] as const

type ExportButtonProps = {
  readonly of: string
  /** Undefined while there is no data. */
  readonly exported: (() => Exported) | undefined
}

/** Offers the data of a view as a shell command, a file, a formula or a dashboard query. */
export function ExportButton({ of, exported }: ExportButtonProps) {
  const [open, setOpen] = useState<Exported | null>(null)
  return (
    <>
      <button
        type="button"
        class="quiet-button"
        aria-haspopup="dialog"
        aria-label={`Export ${of}`}
        disabled={exported === undefined}
        onClick={() => exported && setOpen(exported())}
      >
        Export
      </button>
      {open !== null && <ExportDialog of={of} exported={open} onClose={() => setOpen(null)} />}
    </>
  )
}

function ExportDialog({ of, exported, onClose }: { of: string; exported: Exported; onClose(): void }) {
  const [way, setWay] = useState<string>('curl')
  const [rolling, setRolling] = useState(false)
  return (
    <Dialog label={`Export ${of}`} title={of} onClose={onClose}>
      <div class="export-ways">
        <Choice label="Export as" value={way} options={ways} onChange={setWay} />
        {exported.rolling !== null && way !== 'csv' && (
          <label class="tick">
            <input type="checkbox" checked={rolling} onChange={(event) => setRolling(event.currentTarget.checked)} />
            rolling window
          </label>
        )}
      </div>
      <Recipe way={way} exported={exported} rolling={rolling} />
      {exported.note !== undefined && way !== 'csv' && <p class="note">{exported.note}</p>}
    </Dialog>
  )
}

function Recipe({ way, exported, rolling }: { way: string; exported: Exported; rolling: boolean }) {
  const { api } = useSession()
  const server = { origin: serverUrl(), account: api.credentials.account }
  const asks = rolling && exported.rolling !== null ? exported.rolling : exported.exact
  if (way === 'csv') return exported.wholeCsv ? <WholeCsv exported={exported} /> : <Csv exported={exported} />
  if (way === 'sheets') {
    return (
      <>
        <Copyable label="The formula" text={sheetsFormula(asks)} />
        <Copyable label="Once per spreadsheet: paste into Extensions, Apps Script" text={sheetsScript(server)} />
        <p class="note">
          Save the key there as script property <code>TIDEMARK_KEY</code>. Google must be able to fetch {server.origin}.
        </p>
      </>
    )
  }
  if (way === 'grafana') {
    return (
      <>
        <Copyable label="Targets for the JSON of a panel" text={grafana(asks, server, exported)} />
        <p class="note">
          For the Infinity data source: set the key as bearer token, and the header <code>X-Service-Account: {server.account}</code>.
        </p>
      </>
    )
  }
  return (
    <>
      <Copyable label="For a shell" text={curl(asks, server)} />
      <p class="note">
        Before it: <code>export TIDEMARK_KEY=…</code>
      </p>
    </>
  )
}

function Csv({ exported }: { exported: Exported }) {
  const text = csv(exported.rows)
  return (
    <>
      <Copyable label={`${exported.rows.length - 1} rows, times in UTC, numbers unrounded`} text={text} />
      <button type="button" onClick={() => save(exported.name, new Blob([text], { type: 'text/csv;charset=utf-8' }))}>
        Save as file
      </button>
    </>
  )
}

/** All rows, as exported by the API. */
function WholeCsv({ exported: { name, exact } }: { exported: Exported }) {
  const { api } = useSession()
  const [message, setMessage] = useState('')
  const load = async () => {
    setMessage('Loading …')
    const loaded = loadWholeCsv(api, exact[0]?.path ?? '', new AbortController().signal)
    await loaded.then(
      ({ file, isCut }) => {
        save(name, file)
        setMessage(isCut ? 'Saved the first rows: there are too many for one file' : 'Saved')
      },
      (problem: Error) => setMessage(problem.message),
    )
  }
  return (
    <>
      <p class="note">Every row, not only those of this page: times in UTC, numbers unrounded.</p>
      <p>
        <button type="button" onClick={load}>
          Save as file
        </button>{' '}
        <span role="status">{message}</span>
      </p>
    </>
  )
}

function save(name: string, file: Blob): void {
  const address = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href: address, download: `${name.replace(/[^\w.-]+/g, '-')}.csv` }).click()
  setTimeout(() => URL.revokeObjectURL(address), 1000)
}
