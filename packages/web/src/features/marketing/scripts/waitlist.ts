const thanksMs = 6000
const emailPattern = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/**
 * Submits the waitlist form without navigation. For a valid address, thanks are shown for six seconds, whether or not
 * the request succeeds; other input is ignored. The chosen country is kept.
 */
export function controlWaitlist(): void {
  const form = document.querySelector<HTMLFormElement>('[data-waitlist]')
  const field = form?.querySelector('input')
  const country = form?.querySelector('select')
  const thanksNote = form?.querySelector<HTMLElement>('[data-thanks]')
  if (!form || !field || !country || !thanksNote) return
  thanksNote.replaceChildren()
  let timer: ReturnType<typeof setTimeout>
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const email = field.value.trim()
    if (!emailPattern.test(email)) return
    field.value = ''
    void fetch(form.action, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, country: country.value }),
      keepalive: true,
    }).catch(() => undefined)
    clearTimeout(timer)
    thanksNote.textContent = thanksNote.dataset.thanks ?? ''
    form.dataset.waitlist = 'thanked'
    timer = setTimeout(() => {
      thanksNote.replaceChildren()
      form.dataset.waitlist = ''
    }, thanksMs)
  })
}
