import { useState } from 'preact/hooks'
import { ActionProblem } from '../alerts/use-action.tsx'
import { useAlertRules } from '../alerts/use-alerts.ts'
import type { LocationEntry } from '../api/answers.ts'
import { settled, useDefinitions } from '../api/use-resource.ts'
import { Skeleton } from '../view/notice.tsx'
import { type AssertionRow, sourcesOf } from './assertion.ts'
import { ConflictNotice } from './conflict.tsx'
import { valueIn } from './definition.ts'
import { FaultSummary } from './fault-summary.tsx'
import { FieldView, FoldedFields } from './field-view.tsx'
import { FormContext } from './form-context.ts'
import { assertionRows, groupField, mainFields, variablesField } from './form-model.ts'
import { RunSide } from './run-side.tsx'
import { type CheckFormState, type EditedCheck, useCheckForm } from './use-check-form.ts'
import { useCheckGroup, useCheckGroups } from './use-check-group.ts'
import { type CheckTrial, tryPath, useTrial } from './use-trial.ts'

/** All settings of a check with the server's feedback, and trials before saving. */
export function CheckFormView(edited: EditedCheck) {
  const { checkType, form, stored } = edited
  const state = useCheckForm(edited)
  const { definition, set, faults, refused, newer } = state
  const trial = useTrial((found) => state.refuse(found, ''))
  const { suggestions, agentLocations } = useSuggestions()
  const known = useCheckGroups()
  const { data: groups = [] } = known
  const group = useCheckGroup(groups, definition.groupId)
  const rows = assertionRows(form.own)
  const pick = (row: AssertionRow) => {
    if (rows === undefined) return
    const before = valueIn(definition, rows.path)
    set(rows.path, [...(Array.isArray(before) ? before : []), row])
  }
  if (!settled(known)) return <Skeleton lines={6} height={72} />
  const mayBeInGroup = groups.length > 0 || definition.groupId !== undefined
  const common = form.common.filter(({ name }) => stored === null || name !== 'id')
  const context = { definition, set, faults, suggestions, groups, group, acceptsCode: checkType.acceptsCode }
  return (
    <FormContext.Provider value={context}>
      <div class="check-form">
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            void state.save()
          }}
        >
          {state.wasDraft && <DraftNotice onDrop={state.drop} />}
          {newer !== null && (
            <ConflictNotice
              base={state.base}
              newer={newer}
              onTake={() => state.take(newer)}
              onOverwrite={() => void state.overwrite(newer)}
            />
          )}
          <FaultSummary faults={refused} />
          <section class="panel form-panel" aria-label="What is checked">
            <FoldedFields fields={common.filter(({ name }) => name === 'name')} path={[]} />
            <FoldedFields fields={checkType.hasVariables ? [...form.own, variablesField] : form.own} path={[]} />
          </section>
          <section class="panel form-panel" aria-label="Schedule, locations and notifications">
            {mayBeInGroup && <FieldView field={groupField} path={[groupField.name]} />}
            <FoldedFields fields={common.filter(({ name }) => name !== 'name')} path={[]} main={mainFields} />
          </section>
          <FormBar edited={edited} state={state} trial={trial} agentLocations={agentLocations} />
        </form>
        <RunSide
          checkType={checkType}
          trial={trial}
          storedId={runningId(stored)}
          sources={rows === undefined ? [] : sourcesOf(rows.field)}
          sent={state.sent}
          onPick={pick}
        />
      </div>
    </FormContext.Provider>
  )
}

/** The check that a trial replaces. A check with faults has no runs, and trials cannot take over its hidden values. */
const runningId = (stored: EditedCheck['stored']) => (stored === null || stored.faults.length > 0 ? null : stored.id)

type BarProps = {
  readonly edited: EditedCheck
  readonly state: CheckFormState
  readonly trial: CheckTrial
  readonly agentLocations: readonly string[]
}

function FormBar({ edited: { checkType, stored }, state, trial, agentLocations }: BarProps) {
  const [location, setLocation] = useState('')
  const { saving, isDirty, sent } = state
  const busy = saving.isRunning || trial.action.isRunning
  return (
    <>
      <div class="form-buttons form-bar">
        <button type="submit" disabled={busy || !isDirty}>
          {stored === null ? 'Add check' : 'Save'}
        </button>
        {!checkType.pinged && (
          <button type="button" disabled={busy} onClick={() => trial.start({ path: tryPath(runningId(stored), location), body: sent })}>
            Run now
          </button>
        )}
        {!checkType.pinged && agentLocations.length > 0 && (
          <select aria-label="Run location" value={location} onChange={(event) => setLocation(event.currentTarget.value)}>
            <option value="">on the server</option>
            {agentLocations.map((place) => (
              <option key={place} value={place}>
                at {place}
              </option>
            ))}
          </select>
        )}
        {stored !== null && isDirty && (
          <button type="button" class="quiet-button" disabled={busy} onClick={state.drop}>
            Discard changes
          </button>
        )}
        {stored !== null && (
          <span class="note" role="status">
            {isDirty ? 'Not saved yet' : 'No changes'}
          </span>
        )}
      </div>
      <ActionProblem of={saving} />
      <ActionProblem of={trial.action} />
    </>
  )
}

function DraftNotice({ onDrop }: { onDrop(): void }) {
  return (
    <div class="notice" role="status">
      <strong>These settings are not saved yet.</strong>{' '}
      <button type="button" class="quiet-button" onClick={onDrop}>
        Discard them
      </button>
    </div>
  )
}

type Known = {
  /** Known values for lists of a check, by field name; empty until loaded. */
  readonly suggestions: Readonly<Record<string, readonly string[]>>
  /** Locations whose checks run at agents. */
  readonly agentLocations: readonly string[]
}

function useSuggestions(): Known {
  const { data: places = [] } = useDefinitions(
    'locations',
    async (api, signal) => (await api.request<LocationEntry[]>({ path: '/v1/locations' }, signal)).data,
  )
  const { data: rules = [] } = useAlertRules()
  return {
    suggestions: { locations: places.map(({ location }) => location), alerts: rules.map(({ id }) => id) },
    agentLocations: places.filter(({ runBy }) => runBy === 'agents').map(({ location }) => location),
  }
}
