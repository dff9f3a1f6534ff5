declare global {
  interface Window {
    /** Stops holding presses and repeats the held one. Removed once React has hydrated the page. */
    releasePress?: () => void
  }
}

/** Serialized into the head of a page, so it must not use names from outside. */
function holdPress() {
  let heldButton: HTMLElement | null
  const hold = (event: Event) => {
    const button = (event.target as Element).closest('button')
    if (button === null) return
    heldButton = button
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  addEventListener('click', hold, true)
  window.releasePress = () => {
    delete window.releasePress
    removeEventListener('click', hold, true)
    // Deferred, since React cannot respond while it hydrates.
    setTimeout(() => heldButton?.click())
  }
}

/**
 * Holds button presses on a prerendered page until React has hydrated it, then repeats the last one. This includes
 * submit buttons and Enter: a submission by the browser itself would replace the query of the address. Links work
 * without script.
 */
export const prehydrationClicks = () => `(${holdPress.toString()})()`
