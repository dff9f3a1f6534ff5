/** Runs by itself at the head of a page, so it refers to nothing around it. */
function chooseMap() {
  // Minutes that universal time is ahead.
  const offset = new Date().getTimezoneOffset()
  const side = offset > 120 ? 'americas' : offset > -240 ? 'europe' : offset > -390 ? 'asia' : 'pacific'
  const page = document.documentElement
  let last: string | null = null
  try {
    last = localStorage.getItem('home_map')
  } catch {
    // Storage is off: the side of the device's time zone is shown.
  }
  const [shown = side, shift = '0'] = last?.split(' ') ?? []
  page.dataset.map = shown
  page.style.setProperty('--strip', `${shift}px`)
}

/** The side of the globe that the dashboard is painted with before its script has loaded: the one shown last. */
export const lastMap = () => `(${chooseMap.toString()})()`
