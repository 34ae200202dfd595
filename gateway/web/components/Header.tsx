import { Link } from "./Link";

export function Header({ home }: { home: boolean }) {
  return (
    <header className="head">
      <Link to={{}} className="mark" current={home}>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M5 24h5.5v-5H16v-5h5.5V8H27" />
        </svg>
        Gymwright
      </Link>
      {!home && (
        <Link to={{}} className="quiet">
          New run
        </Link>
      )}
    </header>
  );
}
