import { securityPage } from '#messages/site/security-page.ts'
import { coast, depths } from './contours.ts'

const places = [
  [380, 66],
  [365, 104],
  [370, 140],
  [385, 186],
] as const

/** Money as an island, with each check as a depth contour around it. Small screens list the checks as text. */
export function SecurityIllustration() {
  return (
    <div>
      <svg className="island" viewBox="0 0 680 600" role="img" aria-label={securityPage.drawing}>
        {depths.map((line) => (
          <path key={line} d={line} />
        ))}
        <path className="island-coast" d={coast} />
        {places.map(([x, y], index) => (
          <text className="wide-only" key={y} x={x} y={y} textAnchor="middle">
            {securityPage.layers[index]}
          </text>
        ))}
        <circle className="island-halo" cx="340" cy="306" r="13" />
        <circle className="island-money" cx="340" cy="306" r="7" />
        <text className="island-name" x="340" y="344" textAnchor="middle">
          {securityPage.yourMoney}
        </text>
      </svg>
      <p className="small muted narrow-only">{securityPage.layersInWords}</p>
    </div>
  )
}
