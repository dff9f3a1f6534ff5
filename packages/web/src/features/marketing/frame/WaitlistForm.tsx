import { closedCountries } from '@tern/contract/site/closed-countries'
import { language } from '#language'
import { frame } from '#messages/site/frame.ts'
import { countryName } from '../../../ui/format/country-name.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'

const countries = closedCountries
  .map((code) => ({ code, name: countryName(code) }))
  .toSorted((a, b) => a.name.localeCompare(b.name, language.code))

/**
 * Waitlist for countries that are not open. Works as a plain form; the page's script submits it without navigation.
 * `#joined` is the thank-you target for visitors without script.
 */
export function WaitlistForm() {
  return (
    <form
      className="waitlist group/waitlist mt-8 max-w-140 border-t pt-4"
      action="/api/waitlist"
      method="post"
      noValidate
      data-waitlist=""
      data-when="out"
    >
      <h2 className="font-medium">{frame.notOpenYet}</h2>
      <div className="group/answer min-h-5 scroll-mt-100" id="joined">
        <p className="small muted group-target/answer:hidden group-data-[waitlist=thanked]/waitlist:hidden">
          {frame.waitlistHint}
        </p>
        <p className="small font-medium" role="status" data-thanks={frame.waitlistThanks}>
          <span className="hidden items-center gap-2 group-target/answer:flex [&_.icon]:stroke-2 [&_.icon]:text-sea">
            <Icon name="check" />
            {frame.waitlistThanks}
          </span>
        </p>
      </div>
      <div className="mt-2 grid grid-cols-[minmax(0,220px)_minmax(0,1fr)_auto] gap-3 max-sm:grid-cols-1">
        <div className="input-box">
          <select className="input text-ellipsis" name="country" aria-label={frame.country} autoComplete="country">
            <option value="">{frame.chooseCountry}</option>
            {countries.map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
          <span className="select-chevron">
            <Icon name="down" />
          </span>
        </div>
        <div className="input-box">
          <input
            className="input"
            name="email"
            type="email"
            autoComplete="email"
            aria-label={frame.email}
            placeholder={frame.emailExample}
          />
        </div>
        <button className="button button-secondary min-h-12" type="submit">
          {frame.joinWaitlist}
        </button>
      </div>
    </form>
  )
}
