const thanksMs = 6000
const emailPattern = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/**
 * Sends the page's waitlist forms without leaving it. Whoever gives an address is thanked for six seconds, whatever comes
 * of the sending; anything else is ignored without a word.
 */
export function takeWaitlist(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('[data-waitlist]')) {
    const field = form.querySelector('input')
    const thanks = form.querySelector<HTMLElement>('[data-thanks]')
    if (!field || !thanks) continue
    thanks.replaceChildren()
    let timer: ReturnType<typeof setTimeout>
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      const email = field.value.trim()
      if (!emailPattern.test(email)) return
      field.value = ''
      void fetch(form.action, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
        keepalive: true,
      }).catch(() => undefined)
      clearTimeout(timer)
      thanks.textContent = thanks.dataset.thanks ?? ''
      form.dataset.waitlist = 'thanked'
      timer = setTimeout(() => {
        thanks.replaceChildren()
        form.dataset.waitlist = ''
      }, thanksMs)
    })
  }
}
