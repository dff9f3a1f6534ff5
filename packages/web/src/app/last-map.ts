/** Serialized into the head of a page, so it must not use names from outside. */
function chooseMap() {
  // Minutes by which UTC is ahead of local time.
  const offset = new Date().getTimezoneOffset()
  const side = offset > 120 ? 'americas' : offset > -240 ? 'europe' : offset > -390 ? 'asia' : 'pacific'
  const page = document.documentElement
  let storedMap: string | null = null
  try {
    storedMap = localStorage.getItem('home_map')
  } catch {
    // Storage is off: falls back to the side of the device's time zone.
  }
  const [lastSide = side, shift = '0'] = storedMap?.split(' ') ?? []
  page.dataset.map = lastSide
  page.style.setProperty('--strip', `${shift}px`)
}

/** Inline script that restores the last shown side of the globe before the dashboard's script loads. */
export const lastMap = () => `(${chooseMap.toString()})()`
