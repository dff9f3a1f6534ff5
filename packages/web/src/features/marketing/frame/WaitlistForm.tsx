import { closedCountries } from '@tern/contract/site/closed-countries'
import { language } from '#language'
import { frame } from '#messages/site/frame.ts'
import { countryName } from '../../../ui/format/country-name.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'

const countries = closedCountries
  .map((code) => ({ code, name: countryName(code) }))
  .toSorted((one, other) => one.name.localeCompare(other.name, language.code))

/**
 * The waitlist for countries that are not open. Works as a plain form; the page's script sends it without leaving.
 * `#joined` is where a visitor without script returns, thanked.
 */
export function WaitlistForm() {
  return (
    <form className="waitlist" action="/api/waitlist" method="post" noValidate data-waitlist="" data-when="out">
      <h2>{frame.notOpenYet}</h2>
      <div className="waitlist-answer" id="joined">
        <p className="small muted waitlist-hint">{frame.waitlistHint}</p>
        <p className="small waitlist-thanks" role="status" data-thanks={frame.waitlistThanks}>
          <span className="waitlist-joined">
            <Icon name="check" />
            {frame.waitlistThanks}
          </span>
        </p>
      </div>
      <div className="waitlist-row">
        <div className="input-box">
          <select className="input" name="country" aria-label={frame.country} autoComplete="country">
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
        <button className="button button-secondary" type="submit">
          {frame.joinWaitlist}
        </button>
      </div>
    </form>
  )
}
