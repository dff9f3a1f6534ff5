declare global {
  interface Window {
    /** Lets the page be pressed, and presses what was held. Called once, when React has taken over the page. */
    releasePress?: () => void
  }
}

/** Runs by itself at the head of a page, so it refers to nothing around it. */
function holdPress() {
  let pressed: HTMLElement | null
  const hold = (event: Event) => {
    const button = (event.target as Element).closest('button')
    if (button === null) return
    pressed = button
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  addEventListener('click', hold, true)
  window.releasePress = () => {
    removeEventListener('click', hold, true)
    // Not at once: while React takes over, it cannot answer yet.
    setTimeout(() => pressed?.click())
  }
}

/**
 * A built page stands before its script has come: the button that is pressed until then is kept, and pressed again as
 * soon as the page can answer. So is the one that sends a form, pressed by Enter too: sent by the browser itself, it
 * would take the place of what else stands in the address. Links work already.
 */
export const prehydrationClicks = () => `(${holdPress.toString()})()`
