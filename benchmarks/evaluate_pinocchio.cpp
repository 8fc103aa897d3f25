// Pinocchio's articulated-body algorithm in a loop, for bench_evaluate.py.
//
// The model comes as numbers: gravity (3), then for each link its parent, axis (3), place (3),
// orientation (9, by rows), mass, mass centre (3) and inertia about it (9, by rows).
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/model.hpp>

#include <time.h>

#include <memory>

namespace {
using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
constexpr int LINK = 29;

pinocchio::Model model;
std::unique_ptr<pinocchio::Data> data;

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * t.tv_sec + t.tv_nsec;
}
}  // namespace

extern "C" int peer_load(const double *x, int links) {
  using namespace pinocchio;
  model = Model();
  model.gravity.linear() = Eigen::Vector3d(x[0], x[1], x[2]);
  x += 3;
  for (int i = 0; i < links; ++i, x += LINK) {
    const SE3 place(Matrix(x + 7), Eigen::Vector3d(x[4], x[5], x[6]));
    const JointIndex parent = static_cast<JointIndex>(x[0] + 1);
    const std::string name = "joint" + std::to_string(i);
    JointIndex id;
    if (x[3] == 1)
      id = model.addJoint(parent, JointModelRZ(), place, name);
    else if (x[2] == 1)
      id = model.addJoint(parent, JointModelRY(), place, name);
    else
      return 1;
    const Inertia body(x[16], Eigen::Vector3d(x[17], x[18], x[19]), Matrix(x + 20));
    model.appendBodyToJoint(id, body, SE3::Identity());
  }
  data = std::make_unique<Data>(model);
  return 0;
}

// Runs so many calls over so many states in turn; returns nanoseconds a call.
extern "C" double peer_run(const double *q, const double *v, const double *tau, double *out,
                           long calls, long states, int world) {
  using Vector = Eigen::Map<const Eigen::VectorXd>;
  const long n = model.nv;
  const double begin = now();
  for (long i = 0; i < calls; ++i) {
    const long k = (i % states) * n;
    const Vector Q(q + k, n), V(v + k, n), T(tau + k, n);
    const auto &a = world ? pinocchio::aba(model, *data, Q, V, T, pinocchio::Convention::WORLD)
                          : pinocchio::aba(model, *data, Q, V, T, pinocchio::Convention::LOCAL);
    Eigen::Map<Eigen::VectorXd>(out + k, n) = a;
  }
  return (now() - begin) / calls;
}
