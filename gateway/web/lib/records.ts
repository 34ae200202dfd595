/** The records of proto/gymwright/v1 as the gateway writes them in JSON; absent ones are left out. */

export type RunState =
  | "STARTING"
  | "DESIGNING"
  | "ASKING"
  | "REVIEWING"
  | "CODING"
  | "CHECKING"
  | "TRAINING"
  | "REPORTING"
  | "CANCELLING"
  | "SUCCEEDED"
  | "FAILED"
  | "CANCELLED"
  | "ADVISED";

export type VerdictKind = "LEARNED" | "UNDERTRAINED" | "NO_BETTER_THAN_BASELINE" | "REWARD_HACKED" | "UNSTABLE";

export interface NamedNumber {
  name: string;
  value: number;
}
export interface Interval {
  mean: number;
  low: number;
  high: number;
}

export interface RunOptions {
  total_timesteps?: number;
  n_envs?: number;
  seed?: number;
  seeds?: number;
  tuning_trials?: number;
  hyperparameters?: NamedNumber[];
  review?: boolean;
  insist?: boolean;
  max_cost_usd?: number;
}

export interface Spent {
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  unpriced_calls: number;
}

export interface Run {
  id: string;
  problem: string;
  options: RunOptions;
  state: RunState;
  reason: string;
  fixes: number;
  design_name: string;
  verdict?: VerdictKind;
  created_at_s: number;
  ended_at_s?: number;
  question?: string;
  spent?: Spent;
}

export interface Origin {
  kind: "LIBRARY" | "MODEL" | "SCRIPTED";
  detail: string;
  similarity?: number;
}

export interface Parameter {
  name: string;
  meaning: string;
  unit?: string;
  shape?: number[];
  values: number[];
  source: "GIVEN" | "ASSUMED";
  why?: string;
  low?: number;
  high?: number;
}
export interface StateVariable {
  name: string;
  meaning: string;
  unit?: string;
  kind?: string;
  shape?: number[];
  low: number;
  high: number;
  flow?: boolean;
}
export interface ObservationTerm {
  name: string;
  meaning: string;
  unit?: string;
  size?: number;
  low: number;
  high: number;
  formula?: string;
  image?: { height: number; width: number; channels: number };
}
export interface ActionTerm {
  name: string;
  meaning: string;
  choices?: number;
  labels?: string[];
  size?: number;
  unit?: string;
  low?: number;
  high?: number;
  legal?: string;
}
export interface RewardComponent {
  name: string;
  meaning: string;
  formula: string;
  weight: number;
  low: number;
  high: number;
}
export interface Metric {
  name: string;
  meaning: string;
  unit?: string;
  formula: string;
  per?: string;
  aggregate: string;
  direction: "HIGHER" | "LOWER";
  target?: number;
}
export interface Named {
  name: string;
  formula: string;
  meaning?: string;
}

export interface EnvDesign {
  name: string;
  title: string;
  summary: string;
  fit: { verdict: "RL" | "BETTER_TOOL"; why: string; better_tool?: string };
  parameters: Parameter[];
  state: StateVariable[];
  definitions?: Named[];
  observation: ObservationTerm[];
  action: { kind: string; terms: ActionTerm[]; illegal?: string };
  dynamics: {
    steps: string[];
    step_length: number;
    step_unit: string;
    laws?: Named[];
    invariants?: Named[];
    expected?: { name: string; formula: string; mean: string }[];
  };
  reward: RewardComponent[];
  potential?: string;
  episode: {
    step_limit: number;
    start: string;
    endings?: { name: string; meaning: string; formula: string; success?: boolean }[];
  };
  metrics: Metric[];
  baselines: { name: string; meaning: string; terms: { term: string; formula: string }[] }[];
  reasoning?: { about: string; why: string }[];
}

export type Severity = "ERROR" | "WARNING" | "NOTE";

export interface Finding {
  check: string;
  severity: Severity;
  blame: "CODE" | "DESIGN" | "BUDGET";
  message: string;
  evidence?: string;
  remedy?: string;
  file?: string;
  line?: number;
  traceback?: string;
}
export interface CheckReport {
  findings: Finding[];
  ran: string[];
  skipped?: { group: string; why: string }[];
  episodes: number;
  steps: number;
  wall_s: number;
}

export interface Progress {
  timesteps: number;
  total_timesteps: number;
  steps_per_s: number;
  mean_reward?: number;
  metrics?: NamedNumber[];
  components?: NamedNumber[];
}
export interface Evaluation {
  timesteps: number;
  mean_reward: number;
  std_reward: number;
  episodes: number;
  metrics?: NamedNumber[];
}
export interface TrainingReport {
  algorithm: string;
  why_algorithm: string;
  engine: string;
  seed: number;
  n_envs: number;
  total_timesteps: number;
  hyperparameters?: NamedNumber[];
  wall_s: number;
  steps_per_s: number;
  evaluations?: Evaluation[];
  components?: { name: string; first: number; last: number }[];
}
export type PolicyKind = "IDLE" | "RANDOM" | "BASELINE" | "TRAINED" | "CONSTANT" | "HALF_TRAINED";
export interface LadderRow {
  policy: string;
  kind: PolicyKind;
  episodes: number;
  reward: Interval;
  metrics: { name: string; interval: Interval }[];
}
export interface Verdict {
  kind: VerdictKind;
  reason: string;
  remedy?: string;
  component?: string;
  trace_seed?: number;
  suggested_timesteps?: number;
}
export interface Artifact {
  name: string;
  size: number;
  sha256: string;
}
export interface TrainedSeed {
  seed: number;
  reward: Interval;
  primary: Interval;
  verdict: VerdictKind;
  kept?: boolean;
}
export interface TrainOutcome {
  findings?: Finding[];
  training?: TrainingReport;
  ladder?: { rows: LadderRow[]; first_seed: number };
  verdict?: Verdict;
  artifacts?: Artifact[];
  seeds?: TrainedSeed[];
  tuning?: Tuning;
}
export interface Tuning {
  trials: { number: number; hyperparameters: NamedNumber[]; value?: number; pruned?: boolean }[];
  best: number;
  default_primary: Interval;
  tuned_primary: Interval;
}

export interface Usage {
  model: string;
  purpose: string;
  input_tokens: number;
  cached_tokens?: number;
  output_tokens: number;
  cost_usd?: number;
}

export interface RunEvent {
  run_id: string;
  sequence: number;
  at_s: number;
  state: RunState;
  message: string;
  design_written?: { design: EnvDesign; origin: Origin };
  code_written?: { source: string; origin: Origin; fix: number; twin?: string };
  finding?: Finding;
  checked?: CheckReport;
  fix_started?: { fix: number; fixes_allowed: number; findings: Finding[] };
  progress?: Progress;
  trained?: TrainOutcome;
  ended?: { state: RunState; reason: string; artifacts?: Artifact[] };
  text_written?: { purpose: string; text: string; restarts?: boolean };
  used?: Usage;
  question?: string;
  answer?: string;
  reviewed?: { design: EnvDesign; diff?: string };
}

export const REST: ReadonlySet<RunState> = new Set<RunState>(["SUCCEEDED", "FAILED", "CANCELLED", "ADVISED"]);
