export default function Signup() {
  return <p>signup</p>
}
