import { marketing } from '#messages/site/marketing.ts'

interface MarkDrawing {
  name: string
  path: string
  lettering?: 'serif' | 'spaced'
}

/** Invented companies: names and drawings are examples, and the page says so. */
const team: readonly MarkDrawing[] = [
  {
    name: 'Meridian Bank',
    path: 'M13 2a11 11 0 1 0 0 22 11 11 0 0 0 0-22M13 2c-6 6-6 16 0 22M13 2c6 6 6 16 0 22',
    lettering: 'serif',
  },
  { name: 'ISOBAR', path: 'M2 18c5-10 9-10 12-4s6 4 10-6M2 23c5-10 9-10 12-4s6 4 10-6', lettering: 'spaced' },
  { name: 'Harbor & Co', path: 'M13 4v18M5 14c0 5 4 8 8 8s8-3 8-8M9 8h8', lettering: 'serif' },
]

const partners: readonly MarkDrawing[] = [
  { name: 'Northline', path: 'M4 22V4l18 18V4' },
  { name: 'Quay Systems', path: 'M3 3h8v8H3zM15 3h8v8h-8zM3 15h8v8H3zM15 23l8-8' },
  { name: 'LEDGERWELL', path: 'M4 6h18M4 13h18M4 20h11', lettering: 'spaced' },
]

function Group({ title, text, marks }: { title: string; text: string; marks: readonly MarkDrawing[] }) {
  return (
    <div>
      <p className="example-tag tiny">{marketing.exampleMarks}</p>
      <h2 className="display-m">{title}</h2>
      <p className="muted">{text}</p>
      <ul className="marks">
        {marks.map(({ name, path, lettering = 'plain' }) => (
          <li key={name} translate="no">
            <svg viewBox="0 0 26 26" aria-hidden="true">
              <path d={path} />
            </svg>
            <span className={`lettering-${lettering}`}>{name}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Where the team has worked and who the partners are, as labelled examples. */
export function Marks() {
  return (
    <section className="water">
      <div className="site-width band marks-band">
        <Group title={marketing.teamTitle} text={marketing.teamText} marks={team} />
        <Group title={marketing.partnersTitle} text={marketing.partnersText} marks={partners} />
      </div>
    </section>
  )
}
