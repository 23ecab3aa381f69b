// Who speaks the vocabulary without a prefix: every wing. This is the only list of wings in the sources.
#pragma once

namespace tacit::vocabulary {}
namespace tacit::graphs {
using namespace vocabulary;
}
namespace tacit::neighbors {
using namespace vocabulary;
}
namespace tacit::recordings {
using namespace vocabulary;
}
namespace tacit::runtime {
using namespace vocabulary;
}
namespace tacit::interpose {
using namespace vocabulary;
}
namespace tacit::compiler {
using namespace vocabulary;
}
namespace tacit::tasks {
using namespace vocabulary;
}
namespace tacit::surface {
using namespace vocabulary;
}
