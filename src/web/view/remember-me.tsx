/** After a one-time link: whether the session should outlast the tabs that are open. */
export function StayOffer({ onAnswer }: { onAnswer(stay: boolean): void }) {
  return (
    <aside class="stay-offer" aria-label="Session">
      <span>You are signed in until the last tab of Tidemark is closed.</span>
      <button type="button" onClick={() => onAnswer(true)}>
        Stay signed in
      </button>
      <button type="button" class="quiet-button" onClick={() => onAnswer(false)}>
        Not now
      </button>
    </aside>
  )
}
